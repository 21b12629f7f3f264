"""Flask's development server around an app's serving code: what `deno task bench` compares with.

    python3 flask_app.py SERVING_CODE MODEL_DIRECTORY PORT

The four functions are the app's own; the rest is what a tutorial would write.
"""

import importlib.util
import logging
import sys
from importlib.machinery import SourceFileLoader

from flask import Flask, Response, request


def main(serving_code, model_directory, port):
    loader = SourceFileLoader("serve", serving_code)
    functions = importlib.util.module_from_spec(importlib.util.spec_from_loader("serve", loader))
    loader.exec_module(functions)
    model = functions.model_fn(model_directory)
    app = Flask(__name__)

    @app.get("/ping")
    def ping():
        return Response(status=200)

    @app.post("/invocations")
    def invocations():
        data = functions.input_fn(request.get_data(as_text=True), request.mimetype)
        prediction = functions.predict_fn(data, model)
        supported = ["application/json", "text/csv"]
        accept = request.accept_mimetypes.best_match(supported) or "application/json"
        return Response(functions.output_fn(prediction, accept), mimetype=accept)

    # A line a request would be measured, too; mlcli's server writes none either.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app.run(host="0.0.0.0", port=int(port), threaded=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
