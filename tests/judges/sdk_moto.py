"""Has AWS's SDK 2 train, process and deploy on what AWS_ENDPOINT_URL names: SOURCE, a directory. Prints the names."""

import json
import sys

import boto3
from sagemaker.processing import FrameworkProcessor, ProcessingInput, ProcessingOutput
from sagemaker.session import Session
from sagemaker.sklearn import SKLearn, SKLearnModel
from sagemaker.telemetry import telemetry_logging

source = sys.argv[1]
region = boto3.Session(region_name="eu-west-1")
s3 = region.client("s3")
s3.create_bucket(Bucket="flats", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
for key, size in {"train/a.csv": 3, "train/large.csv": 5000, "raw/b.csv": 4, "model.tar.gz": 5}.items():
    s3.put_object(Bucket="flats", Key=key, Body=b"1" * size)

# It would tell AWS what is done with it. (With a configuration that forbids it, the SDK takes a minute longer.)
telemetry_logging._send_telemetry_request = lambda *_: None
session = Session(region, default_bucket="flats")
common = {
    "image_uri": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/flats:1",
    "role": "arn:aws:iam::111122223333:role/jobs",
    "sagemaker_session": session,
}
machines = {"instance_count": 1, "instance_type": "ml.m5.large"}

training = SKLearn(
    **common,
    **machines,
    entry_point="train.py",
    source_dir=source,
    base_job_name="price",
    hyperparameters={"epochs": 3, "note": "a b", "sizes": [1, "two"]},
    max_run=600,
)
training.fit({"training": "s3://flats/train/"}, wait=False)

processing = FrameworkProcessor(
    **common,
    **machines,
    estimator_cls=SKLearn,
    framework_version="1.2-1",
    command=["python3"],
    base_job_name="clean",
)
processing.run(
    code="clean.py",
    source_dir=source,
    inputs=[ProcessingInput("s3://flats/raw/", "/opt/ml/processing/input/raw", "raw")],
    outputs=[ProcessingOutput("/opt/ml/processing/output/out", "s3://flats/clean/", "out")],
    arguments=["--rows", "1 000"],
    wait=False,
)

model = SKLearnModel(
    "s3://flats/model.tar.gz",
    **common,
    entry_point="serve.py",
    source_dir=source,
    name="price-model",
)
model.deploy(1, "ml.m5.large", endpoint_name="price-api", wait=False)
print(json.dumps([training.latest_training_job.name, processing.latest_job.name]))
