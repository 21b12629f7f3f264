"""Has the local mode of AWS's SDK 2 train an image on two hosts: IMAGE DATA TARGET, the last two directories."""

import sys

import boto3
from sagemaker.estimator import Estimator
from sagemaker.local import LocalSession

image, data, target = sys.argv[1:]
session = LocalSession(boto3.Session("any", "any", region_name="eu-west-1"))
session.config = {"local": {"container_root": target}}
Estimator(
    image_uri=image,
    role="arn:aws:iam::111122223333:role/any",
    instance_count=2,
    instance_type="local",
    hyperparameters={"epochs": "3"},
    environment={"OWN": "value"},
    output_path="file://" + target,
    sagemaker_session=session,
).fit({"training": "file://" + data})
