"""Where things lie in the container: SageMaker's contract under /opt/ml."""

from __future__ import annotations

import os

INPUT = "/opt/ml/input"
INPUT_CONFIG = "/opt/ml/input/config"
HYPERPARAMETERS = "/opt/ml/input/config/hyperparameters.json"
INPUT_DATA = "/opt/ml/input/data"
TRAINING_DATA = "/opt/ml/input/data/training"
MODEL = "/opt/ml/model"
OUTPUT = "/opt/ml/output"
OUTPUT_DATA = "/opt/ml/output/data"
OUTPUT_INTERMEDIATE = "/opt/ml/output/intermediate"

PROCESSING = "/opt/ml/processing"
PROCESSING_CODE = "/opt/ml/processing/input/code"

# The first 1,024 characters become a training job's FailureReason, a processing job's ExitMessage.
TRAINING_FAILURE = "/opt/ml/output/failure"
PROCESSING_MESSAGE = "/opt/ml/output/message"

# `mlcli local` mounts the code here, so that editing needs no rebuild; on SageMaker it is empty.
CODE = "/opt/ml/code"
# The copy that `mlcli build` put into the image.
IMAGE_CODE = "/opt/program"
# What training, prediction and processing share: mounted here, and part of the image, too.
COMMON = "/opt/program/common"

HARNESS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
