"""Has AWS's SDK, 2 or 3, make what it would send for a processing, and keeps it: SOURCE ENTRY TARGET WORD...

Nothing is sent: calls of AWS end here. TARGET gets the request, what lies in S3, and a directory for each input.
"""

import json
import shutil
import sys
from pathlib import Path

import boto3
from botocore.client import BaseClient

try:
    from sagemaker.core.helper.session_helper import Session
    from sagemaker.core.processing import FrameworkProcessor

    made_for, more = {}, {"requirements": "requirements.txt"}
except ImportError:
    from sagemaker.processing import FrameworkProcessor
    from sagemaker.session import Session
    from sagemaker.sklearn.estimator import SKLearn

    made_for, more = {"estimator_cls": SKLearn, "framework_version": "1.2-1"}, {}

source, entry, target, *words = sys.argv[1:]
ANSWERS = {
    "ListBuckets": {"Buckets": [{"Name": "any", "CreationDate": "2026-01-01"}]},
    "CreateProcessingJob": {
        "ProcessingJobArn": "arn:aws:sagemaker:eu-west-1:111122223333:processing-job/any"
    },
}


def keep(client, operation, parameters):
    if operation == "PutObject":
        path = Path(target, "s3", parameters["Key"])
        path.parent.mkdir(parents=True, exist_ok=True)
        body = parameters["Body"]
        body = body if isinstance(body, (bytes, str)) else body.read()
        path.write_bytes(body if isinstance(body, bytes) else body.encode())
    if operation == "CreateProcessingJob":
        Path(target, "job.json").write_text(json.dumps(parameters))
        for channel in parameters["ProcessingInputs"]:
            sent = Path(target, "s3", channel["S3Input"]["S3Uri"].removeprefix("s3://any/"))
            Path(target, channel["InputName"]).mkdir()
            for file in [sent] if sent.is_file() else sent.iterdir():
                shutil.copy(file, Path(target, channel["InputName"]))
    return ANSWERS.get(operation, {})


BaseClient._make_api_call = keep
region = boto3.Session("any", "any", region_name="eu-west-1")
FrameworkProcessor(
    **made_for,
    image_uri="any",
    role="arn:aws:iam::111122223333:role/any",
    command=["python3"],
    instance_count=1,
    instance_type="ml.m5.large",
    sagemaker_session=Session(region, default_bucket="any"),
).run(code=entry, source_dir=source, arguments=words, wait=False, **more)
