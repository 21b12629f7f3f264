# Added by mlcli init --from: CSV as the server of easy_sm's template reads and writes it.
import io

import pandas


def input_fn(request_body, content_type):
    if content_type != "text/csv":
        raise ValueError("Unsupported content type: {}".format(content_type))
    return pandas.read_csv(io.StringIO(request_body), header=None)


def output_fn(prediction, accept):
    table = pandas.DataFrame({"results": prediction})
    return table.to_csv(header=False, index=False), "text/csv"
