"""Requests that break HTTP's rules, or stretch them: what the fuzzer sends.

A case is (name, bytes, statuses): the statuses that the answers must have, where that is known. Where
a request's end is ambiguous, the bytes hold SMUGGLED: a server that answers it took for a request
what a strict one takes for a part of the one before, or does not read at all.
"""

import io
import random
import zipfile

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
NEXT = b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"

NPY_HEAD = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"


def npy(head, content):
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + content


def npz(**arrays):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in arrays.items():
            archive.writestr(name + ".npy", content)
    return file.getvalue()


def post(body=b"[1]", headers=b"", kind=b"application/json", version=b"1.1"):
    """A POST /invocations; `headers` frame the body, else its length does."""
    framing = headers or b"Content-Length: %d\r\n" % len(body)
    return (
        b"POST /invocations HTTP/%s\r\nHost: x\r\nContent-Type: %s\r\n%s\r\n%s"
        % (version, kind, framing, body)
    )


def chunks(*parts):
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


GOOD_NPY = npy(NPY_HEAD, bytes(16))
VALID = [
    ("ping", b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n", [200]),
    ("ping of 1.0", b"GET /ping HTTP/1.0\r\n\r\n", [200]),
    ("head", b"HEAD /ping HTTP/1.1\r\nHost: x\r\n\r\n", [200]),
    ("absolute URI", b"GET http://x/ping HTTP/1.1\r\nHost: x\r\n\r\n", [200]),
    ("blanks", b"GET /ping HTTP/1.1\r\nHost:x \t\r\nX:\t a b\t\r\nY:\r\n\r\n", [200]),
    ("8 bits", b"GET /ping?\xe9 HTTP/1.1\r\nHost: x\r\nX: \xe9\xff\r\n\r\n", None),
    ("json", post(), [200]),
    ("csv", post(b"1,2\n3,4\n", kind=b"text/csv"), [200]),
    ("npy", post(GOOD_NPY, kind=b"application/x-npy"), None),
    ("npz", post(npz(a=GOOD_NPY), kind=b"application/x-npz"), None),
    ("json of 1.0", post(version=b"1.0"), [200]),
    ("length with zeros", post(headers=b"Content-Length: 003\r\n") + NEXT, [200, 404]),
    ("chunked", post(chunks(b"[1,", b"2]"), CHUNKED) + NEXT, [200, 404]),
    ("chunked, upper case", post(chunks(b"[1]"), b"TRANSFER-ENCODING:  CHUNKED \r\n") + NEXT, [200, 404]),
    ("chunk extensions", post(b'3;a=b;c="d"\r\n[1]\r\n000;e\r\n\r\n', CHUNKED) + NEXT, [200, 404]),
    ("trailers", post(b"3\r\n[1]\r\n0\r\nX: y\r\nZ:\r\n\r\n", CHUNKED) + NEXT, [200, 404]),
    ("pipelined", post() + b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n" + post() + NEXT, [200, 200, 200, 404]),
    ("unwanted body", b"POST /ping HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n[1]" + NEXT, [405, 404]),
    ("expect", post(headers=b"Content-Length: 3\r\nExpect: 100-continue\r\n") + NEXT, [200, 404]),
]

FIRST_LINES = [
    b"", b"GET", b"GET /ping", b"GET  /ping HTTP/1.1", b"GET /ping  HTTP/1.1", b" GET /ping HTTP/1.1",
    b"GET /ping HTTP/1.1 ", b"GET\t/ping\tHTTP/1.1", b"GET /ping HTTP/0.9", b"GET /ping HTTP/1.2",
    b"GET /ping HTTP/2.0", b"GET /ping HTTP/3", b"GET /ping HTTP/1.1x", b"GET /ping HTTP/11",
    b"GET /ping HTTP/1.", b"GET /ping HTTP/+1.1", b"GET /ping http/1.1", b"GET /ping HTTPS/1.1",
    b"GET /ping HTTP/1.1\0", b"GET /ping HTTP/1.1\r", b"G\0T /ping HTTP/1.1", b"G\rT /ping HTTP/1.1",
    b"G(T /ping HTTP/1.1", b"G\xc9T /ping HTTP/1.1", b"get /ping HTTP/1.1", b"PRI * HTTP/2.0",
    b"OPTIONS * HTTP/1.1", b"CONNECT x:80 HTTP/1.1", b"TRACE /ping HTTP/1.1", b"BREW /ping HTTP/1.1",
    b"G" * 300 + b" /ping HTTP/1.1", b"GET /pi\0ng HTTP/1.1", b"GET /pi\rng HTTP/1.1", b"GET /pi ng HTTP/1.1",
    b"GET /pi\x7fng HTTP/1.1", b"GET /%00 HTTP/1.1", b"GET /%0d%0aX:y HTTP/1.1", b"GET /%zz HTTP/1.1",
    b"GET /%ff%fe HTTP/1.1", b"GET ping HTTP/1.1", b"GET ?a HTTP/1.1", b"GET # HTTP/1.1", b"GET * HTTP/1.1",
    b"GET //ping HTTP/1.1", b"GET //x/ping HTTP/1.1", b"GET /../ping HTTP/1.1", b"GET /ping#a HTTP/1.1",
    b"GET http:// HTTP/1.1", b"GET http://[/ping HTTP/1.1", b"GET http://[::1]:x/ping HTTP/1.1",
    b"GET http://x:99999/ping HTTP/1.1", b"GET ftp://x/ping HTTP/1.1", b"GET :///ping HTTP/1.1",
    b"GET /" + b"a" * 5000 + b" HTTP/1.1", b"GET /" + b"a" * 70000 + b" HTTP/1.1", b"\x16\x03\x01\x02\0\x01\0",
]  # fmt: skip

HEADERS = [
    b"X: a\0b", b"X: a\rb", b"X: a\r", b"X: a\nb", b"X\0: a", b"X\r: a", b"X : a", b" X: a", b"\tX: a", b"X: a\r\n b",
    b"X: a\r\n\tb", b"X: a\r\n \r\n b", b": a", b"X", b"X:", b"X:a", b"X: :", b"X(: a", b"\xc3\xa9: a", b"X: \xff",
    b"X: \x01", b"X: \x7f", b"X\x0b: a", b"Host: y", b"Host:", b"Host: a b", b"Host: x@y", b"Host: [::1", b"Host: x:y",
    b"Connection: close", b"Connection: keep-alive, close", b"Connection: \xff", b"Connection: upgrade\r\nUpgrade: h2c",
    b"Expect: 100-continue", b"Expect: 200-ok", b"Expect:", b"Expect: 100-Continue", b"Accept: text/csv",
    b"Accept: " + b"a/b;q=0.5," * 500, b"Accept: ;;;q=x,,", b"Accept: */*;q=1e999", b"Accept: \xe9/\xe9",
    b"Content-Type: application/json; charset=" + b"x" * 300, b"Content-Type: ;;=", b"Content-Type: \xe9",
    b"Content-Type: text/csv; charset=utf-16", b"Content-Type: text/csv; charset=idna",
    b"Content-Type: text/csv; charset=unicode_escape", b"Content-Type: text/csv; charset=zlib_codec",
    b"Content-Type: text/csv; charset=utf-7", b'Content-Type: text/csv; charset="\\', b"Content-Encoding: gzip",
    b"X-Amzn-SageMaker-Custom-Attributes: " + b"a" * 2000, b"X-Amzn-SageMaker-Inference-Id: \xe9",
    b"Proxy: x", b"Content_Length: 9", b"wsgi.input: x", b"X: " + b"a" * 9000, b"X: " + b"a" * 70000,
    b"X" * 9000 + b": a", b"\r\n".join(b"X%d: a" % number for number in range(100)),
    b"\r\n".join(b"X%d: a" % number for number in range(1000)),
]  # fmt: skip

# What no server may read as a length of 3 (or at all).
LENGTHS = [
    b"+3", b"-1", b"-0", b"3, 3", b"3,4", b"3 3", b"0x3", b"3.0", b"3e0", b"3_0", b"1_0", b"", b" ", b"three", b"3\x0b",
    b"\x0c3", b"3\xa0", b"\xb3", b"\xd9\xa3", b"3\0", b"3;", b"'3'", b"9" * 30, b"9" * 5000,
    b"3\r\nContent-Length: 3", b"3\r\nContent-Length: 4", b"4\r\nContent-Length: 3", b"3\r\n ", b"3\r\n 4",
    b"3\r\nTransfer-Encoding: chunked", b"0\r\nTransfer-Encoding: chunked", b"3\r\nTransfer-Encoding: identity",
    b"3\r\nTransfer-Encoding:\x0bchunked", b"3\rX: y", b"3\nX: y",
]  # fmt: skip

ENCODINGS = [
    b"chunked, chunked", b"gzip, chunked", b"chunked, gzip", b"identity", b"chunked, identity", b"identity, chunked",
    b"xchunked", b"chunkedx", b"chunke", b"\x0bchunked", b"\xa0chunked", b"chunked\0", b"chunked\xff", b'"chunked"',
    b"chunked;q=1", b"chunked chunked", b"", b"x", b"chunked\r\nTransfer-Encoding: chunked",
    b"chunked\r\nTransfer-Encoding: identity", b"identity\r\nTransfer-Encoding: chunked", b"\r\n chunked",
    b"chunked\r\nContent-Length: 3", b"chunked\r\nContent-Length: 0", b"chunked\rX: y", b"chunked\nX: y",
]  # fmt: skip

# Chunked bodies that are broken.
BROKEN_CHUNKS = [
    b"zz\r\n[1]\r\n0\r\n\r\n", b"0x3\r\n[1]\r\n0\r\n\r\n", b"-1\r\n[1]\r\n0\r\n\r\n", b"+3\r\n[1]\r\n0\r\n\r\n",
    b"-0\r\n\r\n", b"0x0\r\n\r\n", b"+0\r\n\r\n", b"0_0\r\n\r\n", b" 0\r\n\r\n", b"\r\n0\r\n\r\n", b"\r\n\r\n", b";\r\n\r\n",
    b" 3\r\n[1]\r\n0\r\n\r\n", b"3_0\r\n[1]\r\n0\r\n\r\n", b"\r\n[1]\r\n0\r\n\r\n", b"3\r\n[1]0\r\n\r\n", b"2\r\n[1]\r\n0\r\n\r\n",
    b"3\r\n[1]xx0\r\n\r\n", b"3\r\n[1]\n0\r\n\r\n", b"3\n[1]\r\n0\r\n\r\n", b"3\n[1]\n0\n\n", b"0\n\n", b"3\r[1]\r\n0\r\n\r\n",
    b"3\0\r\n[1]\r\n0\r\n\r\n", b"3;\0\r\n[1]\r\n0\r\n\r\n", b"3;a\nb\r\n[1]\r\n0\r\n\r\n", b"3;a\rb\r\n[1]\r\n0\r\n\r\n",
    b"f" * 17 + b"\r\n", b"8000000000000000\r\n", b"f" * 5000 + b"\r\n", b"1" + b"0" * 16 + b"3\r\n[1]\r\n0\r\n\r\n",
    b"3 [1]\r\n0\r\n\r\n", b"\xb3\r\n[1]\r\n0\r\n\r\n", b"0\r\nX\r\n\r\n", b"0\r\nX: a\0\r\n\r\n", b"0\r\nX: a\rb\r\n\r\n",
    b"0\r\nX : a\r\n\r\n", b"0\r\n X: a\r\n\r\n", b"0\r\n: a\r\n\r\n", b"0\r\nX: a\n\r\n", b"0\r\nX: a\r\n b\r\n\r\n",
]  # fmt: skip

BODIES = {
    b"application/json": [
        b"", b" ", b"{", b"[", b"[" * 100000, b'{"a":' * 50000, b"[1]]", b"[1,]", b"nul", b"NaN", b"-Infinity", b"1e999",
        b"9" * 4000, b"9" * 5000, b"[" + b"9" * 4200 + b"]", b"-", b'"', b'"\\ud800"', b'["\\ud800"]', b'[["\\udfff", 1]]',
        b'"\0"', b'"\n"', b"\xff", b"\xc3", b"\xef\xbb\xbf[1]", b"\xff\xfe[\0", b"[1]\0", b'{"a": 1, "a": 2}', b'{"a": 1}',
        b"[{}]", b"[[1], 2]", b"[[], [1, 2]]", b"[[[1]]]", b"null", b"true", b"[null, [null]]", b'{"\\ud800": 1}',
    ],
    b"text/csv": [
        b"", b"\n", b"\r\r\n", b",", b"1,2\n3", b'"', b'"a"b,c', b'a"b', b"\0", b"1,\0\n", b"\xff", b"\xef\xbb\xbf", b"1;2\n3\t4",
        b"a" * 140000, b"1," * 30000, b"1e999", b"nan,inf,-inf", b"1_0", b"\xd9\xa3", b"9" * 5000, b'"a\nb",c\n', b"'1','2'\r1,2",
    ],
    b"application/x-npy": [
        b"", b"\x93NUMPY", b"\x93NUMPY\x09\x00", GOOD_NPY[:-1], GOOD_NPY + b"x", GOOD_NPY[:20], npy(b"{", b""), npy(b"[]", b""),
        npy(NPY_HEAD.replace(b"(2,)", b"(1000000000000,)"), b""), npy(NPY_HEAD.replace(b"(2,)", b"(-1,)"), b""),
        npy(NPY_HEAD.replace(b"(2,)", b"(4294967296, 4294967296)"), bytes(16)), npy(NPY_HEAD.replace(b"<f8", b"|O"), b"cos\nsystem\n."),
        npy(NPY_HEAD.replace(b"<f8", b"|V0"), b""), npy(NPY_HEAD.replace(b"(2,)", b"(" * 500), b""), npy(b"\xff" * 60, b""),
        npy(NPY_HEAD.replace(b"<f8", b"<U1"), b"\xff" * 8), npy(NPY_HEAD.replace(b"<f8", b"<M8[D]"), bytes(16)),
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff", npy(NPY_HEAD.replace(b"'<f8'", b"[('a', '<f8'), ('b', '|S2')]"), bytes(20)),
    ],
    b"application/x-npz": [
        b"", b"PK", b"PK\x05\x06" + bytes(18), npz(), npz(a=b""), npz(a=GOOD_NPY)[:-9], npz(a=GOOD_NPY, b=GOOD_NPY),
        npz(a=npy(NPY_HEAD.replace(b"<f8", b"|O"), b"cos\nsystem\n.")), npz(**{"../a": GOOD_NPY}), GOOD_NPY,
        npz(a=npy(NPY_HEAD.replace(b"(2,)", b"(40000,)"), bytes(320000))), npz(a=GOOD_NPY).replace(b"\x08\0", b"\x63\0"),
    ],
    b"application/octet-stream": [b"", b"\0", bytes(range(256))],
}  # fmt: skip


def tables():
    """Each row of the tables above, in a request that is valid otherwise."""
    yield from VALID
    for line in FIRST_LINES:
        yield "first line", line + b"\r\nHost: x\r\n\r\n", None
        yield "first line", line + b"\r\n\r\n" + SMUGGLED[:-4], None
    for line in HEADERS:
        yield "header", b"GET /ping HTTP/1.1\r\nHost: x\r\n" + line + b"\r\n\r\n", None
        yield "header", post(headers=b"Content-Length: 3\r\n" + line + b"\r\n"), None
        yield "first header", b"GET /ping HTTP/1.1\r\n" + line + b"\r\nHost: x\r\n\r\n", None
    # Lines that end with LF alone, and ends of heads that are none.
    for between in (b"\n\n", b"\r\r", b"\n\r\n", b"\r\n\n", b"\r\n \r\n", b"\r\n\0\r\n", b"\r\n\x0b\r\n"):
        hidden = b"GET /ping HTTP/1.1\r\nHost: x\r\nX: y" + between + SMUGGLED
        yield "end of head", hidden.replace(b" HTTP/1.1\r\nHost: x\r\n\r\n", b" HTTP/1.1\nHost: x\n\n", 1), None
        yield "end of head", b"POST /ping HTTP/1.1\r\nHost: x\r\nX: y" + between + SMUGGLED, None
    for length in LENGTHS:
        headers = b"Content-Length: %s\r\n" % length
        for body in (b"[1]" + SMUGGLED, SMUGGLED, chunks(b"[1]") + SMUGGLED, chunks() + SMUGGLED):
            yield "length", post(body, headers), None
    for name in (b"Content-Length ", b"Content-Length\t", b" Content-Length", b"Content-Length\0", b"Content-Length\x0b"):
        yield "length", post(b"[1]" + SMUGGLED, name + b": 3\r\n"), None
        yield "length", post(SMUGGLED, name + b": %d\r\n" % len(SMUGGLED)), None
    for encoding in ENCODINGS:
        headers = b"Transfer-Encoding: %s\r\n" % encoding
        for body in (chunks(b"[1]") + SMUGGLED, chunks() + SMUGGLED, SMUGGLED, b"[1]" + SMUGGLED):
            yield "encoding", post(body, headers), None
            yield "encoding of 1.0", post(body, headers, version=b"1.0"), None
    for body in BROKEN_CHUNKS:
        yield "broken chunks", post(body + SMUGGLED, CHUNKED), None
        yield "broken chunks", post(b"1\r\n \r\n" + body + SMUGGLED, CHUNKED), None
        yield "broken chunks, unwanted", post(body + SMUGGLED, CHUNKED).replace(b"/invocations", b"/ping"), None
    for long in (b"3;" + b"a" * 100000 + b"\r\n[1]\r\n0\r\n\r\n", b"3\r\n[1]\r\n0\r\n" + b"X: y\r\n" * 20000 + b"\r\n"):
        yield "long chunks", post(long, CHUNKED), None
    for kind, bodies in BODIES.items():
        for body in bodies:
            for accept in (b"", b"Accept: text/csv\r\n", b"Accept: application/x-npy\r\n", b"Accept: application/x-npz\r\n"):
                yield "body", post(body, b"Content-Length: %d\r\n%s" % (len(body), accept), kind), None
            yield "chunked body", post(chunks(body[:7], body[7:]) if len(body) > 7 else chunks(), CHUNKED, kind), None
    for name, request, _ in VALID:
        for length in range(len(request)):
            yield "%s, cut" % name, request[:length], None


def flipped(chance):
    """A valid request with some bytes changed, taken out or put in. Few, so that much is parsed."""
    name, request, _ = chance.choice(VALID)
    data = bytearray(request)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        place = chance.randrange(len(data))
        other = chance.choice((b"\0", b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b";", b",", b"\xff", b"0", b"9", b"-",
                               bytes([chance.randrange(256)]), bytes([data[place] ^ 1 << chance.randrange(8)])))  # fmt: skip
        data[place : place + chance.choice((0, 1, 1))] = other if chance.random() < 0.8 else b""
        if not data:
            break
    return "%s, flipped" % name, bytes(data), None


def mixed(chance):
    """Rows of several tables in one request, or in requests behind each other."""
    line = chance.choice(FIRST_LINES) if chance.random() < 0.2 else b"POST /invocations HTTP/1.1"
    headers = [b"Host: x", *chance.sample(HEADERS, chance.randrange(3))]
    if chance.random() < 0.5:
        headers.append(b"Content-Length: " + chance.choice(LENGTHS))
    if chance.random() < 0.5:
        headers.append(b"Transfer-Encoding: " + chance.choice([b"chunked", *ENCODINGS]))
    chance.shuffle(headers)
    kind = chance.choice(list(BODIES))
    body = chance.choice([*BROKEN_CHUNKS, *BODIES[kind], chunks(b"[1]"), b"[1]"])
    before = b"".join(chance.choice(VALID)[1] for _ in range(chance.randrange(3)))
    request = b"\r\n".join([line, *headers, b"Content-Type: " + kind, b"", body])
    return "mixed", before + request + chance.choice((b"", NEXT)), None


def cases(count, seed):
    """So many cases, the same ones for the same seed: the tables first."""
    chance = random.Random(seed)
    made = list(tables())
    while len(made) < count:
        made.append(chance.choice((flipped, flipped, mixed))(chance))
    return made[:count]
