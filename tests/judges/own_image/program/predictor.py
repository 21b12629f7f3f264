"""Answers each row with how many rows it was trained on."""

import json
from pathlib import Path

import flask

app = flask.Flask(__name__)


def rows():
    return json.loads(Path("/opt/ml/model/model.json").read_text())["rows"]


@app.get("/ping")
def ping():
    rows()
    return ""


@app.post("/invocations")
def invocations():
    if flask.request.content_type != "text/csv":
        return "This takes text/csv", 415
    asked = flask.request.get_data(as_text=True).splitlines()
    return flask.Response(f"{rows()}\n" * len(asked), mimetype="text/csv")
