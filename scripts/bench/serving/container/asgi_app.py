"""The same application for uvicorn: the body is gathered, then a thread runs the application."""

import asyncio
import io
from concurrent.futures import ThreadPoolExecutor

from wsgi_app import application as wsgi_application

THREADS = ThreadPoolExecutor(32)


async def application(scope, receive, send):
    if scope["type"] != "http":
        return await agree(receive, send)
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        # One part more often than not: then nothing is copied.
        body = body + message["body"] if body else message["body"]
        more = message.get("more_body", False)
    loop = asyncio.get_running_loop()
    status, headers, content = await loop.run_in_executor(THREADS, respond, scope, body)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def agree(receive, send):
    """Has nothing to do when the server starts and ends."""
    while True:
        event = (await receive())["type"]
        await send({"type": event + ".complete"})
        if event == "lifespan.shutdown":
            return


def respond(scope, body):
    environ = {
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": scope["path"],
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "wsgi.input": io.BytesIO(body),
    }
    for name, value in scope["headers"]:
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else "HTTP_" + key
        environ[key] = value.decode("latin-1")
    head = []
    content = b"".join(wsgi_application(environ, lambda *arguments: head.extend(arguments)))
    status, headers = head
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return int(status[:3]), encoded, content
