"""Has the local mode of AWS's SDK 2 run transform jobs against a server that runs: PORT, jobs as JSON.

A job is what its request says, but for its name and output, which goes to NAME in the directory
where this runs. The file `ended.json` gets why each failed, and what its container was told.
"""

import json
import sys
from pathlib import Path

import boto3
from sagemaker.local import LocalSession, entities

port, jobs = int(sys.argv[1]), json.loads(sys.argv[2])


class Container:
    """In place of the one that the SDK starts by Docker Compose."""

    def __init__(self, *arguments):
        self.is_left = False

    def serve(self, model, environment):
        self.is_left = True
        self.environment = environment

    def stop_serving(self):
        self.is_left = False


def run(name, request):
    job = entities._LocalTransformJob(name, "any", session)
    request["TransformOutput"]["S3OutputPath"] = "file://%s" % Path(name).absolute()
    split = [request.pop(key) for key in ("TransformInput", "TransformOutput")]
    error = None
    try:
        job.start(*split, {"InstanceType": "local"}, **request)
    except Exception as raised:
        error = "%s: %s" % (type(raised).__name__, raised)
    container = job.container
    return {"error": error, "environment": container.environment, "is_left": container.is_left}


entities._SageMakerContainer = Container
session = LocalSession(boto3.Session("any", "any", region_name="eu-west-1"))
session.config = {"local": {"serving_port": port}}
model = {"Image": "any", "ModelDataUrl": "file:///any", "Environment": {}}
session.sagemaker_client._models["any"] = entities._LocalModel("any", model)
ended = {name: run(name, request) for name, request in jobs.items()}
Path("ended.json").write_text(json.dumps(ended))
