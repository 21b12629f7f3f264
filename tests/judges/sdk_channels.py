"""Has AWS's SDK 3 make what it would send for a training, and keeps it: SOURCE ENTRY TARGET.

Nothing is run or sent: the SDK hands the job to what takes the place of its own local containers.
"""

import json
import shutil
import sys
from pathlib import Path

from sagemaker.train import model_trainer
from sagemaker.train.configs import Compute, SourceCode

source, entry, target = sys.argv[1:]
Path(target).mkdir()
# Commands see to that themselves.
requirements = "requirements.txt" if Path(source, "requirements.txt").exists() else None


class KeptJob:
    def __init__(self, **job):
        self.job = job

    def train(self, wait):
        for channel in self.job["input_data_config"]:
            directory = channel.data_source.file_system_data_source.directory_path
            shutil.copytree(directory.removeprefix("file://"), Path(target, channel.channel_name))
        names = ("container_entrypoint", "container_arguments", "hyper_parameters")
        Path(target, "job.json").write_text(json.dumps({name: self.job[name] for name in names}))


model_trainer._LocalContainer = KeptJob
model_trainer.ModelTrainer(
    training_mode=model_trainer.Mode.LOCAL_CONTAINER,
    training_image="any",
    source_code=SourceCode(source_dir=source, entry_script=entry, requirements=requirements),
    compute=Compute(instance_type="local_cpu", instance_count=1),
    local_container_root=target,
).train(wait=False)
