"""The errors of the server that have an HTTP status of their own."""


class HttpError(Exception):
    """An answer other than 200. `message` goes into the JSON body; `headers` are added."""

    def __init__(self, status, message, headers=()):
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = list(headers)


def unsupported_content_type(content_type):
    return HttpError("415 Unsupported Media Type", "Unsupported content type: %s" % content_type)


def unsupported_accept_type(accept):
    return HttpError("406 Not Acceptable", "Unsupported accept type: %s" % accept)


def bad_request(message):
    return HttpError("400 Bad Request", message)
