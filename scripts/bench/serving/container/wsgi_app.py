"""The harness's application, for servers that take any WSGI application."""

import logging

from mlcli_harness.serving.application import Application
from mlcli_harness.serving.model import load_model

# waitress writes a line for each request that has to wait; the other servers write none.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)

application = Application(load_model())
