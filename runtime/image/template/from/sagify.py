# Made by mlcli init --from: answers by prediction.py, as sagify's server did.
import json

import prediction


def model_fn(model_dir):
    service = getattr(prediction, "ModelService", None)
    return service and service.get_model()


def input_fn(request_body, content_type):
    if content_type != "application/json":
        raise ValueError("Unsupported content type: {}".format(content_type))
    return json.loads(request_body)


def predict_fn(input_data, model):
    return prediction.predict(input_data)


def output_fn(answer, accept):
    return json.dumps(answer), "application/json"
