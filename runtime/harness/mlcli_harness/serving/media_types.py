"""Media types of requests and responses: RFC 9110, sections 8.3 and 12.5.1."""

from __future__ import annotations

from email.message import Message
from functools import lru_cache

JSON = "application/json"
CSV = "text/csv"
NPY = "application/x-npy"
NPZ = "application/x-npz"

# What a wildcard stands for: the types that every app can be asked for, JSON first.
STAND_INS = {"*/*": (JSON, CSV), "application/*": (JSON,), "text/*": (CSV,)}


@lru_cache(maxsize=256)
def parse_content_type(header: str) -> tuple[str, str | None]:
    """A Content-Type as (media type in lower case without parameters, charset or None).

    An absent one means JSON, as on SageMaker.
    """
    if not header.strip():
        return JSON, None
    message = Message()
    message["Content-Type"] = header
    charset = message.get_param("charset")
    media_type = header.partition(";")[0].strip().lower()
    return media_type, charset if isinstance(charset, str) else None


def media_ranges(header: str) -> list[tuple[str, float]]:
    """The media ranges of an Accept header as (name in lower case, q-value), in its order. An absent
    header means anything."""
    ranges = []
    for item in header.split(","):
        name, _, parameters = item.partition(";")
        if name.strip():
            ranges.append((name.strip().lower(), parse_quality(parameters)))
    return ranges or [("*/*", 1.0)]


def parse_quality(parameters: str) -> float:
    """The q-value among the parameters of a media range, 1 where there is none or it is not one."""
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 1.0
    return 1.0


@lru_cache(maxsize=256)
def candidates(header: str) -> list[str]:
    """The response types to try for an Accept header, the best first.

    Wildcards stand for JSON and CSV, as far as neither is named itself, and come after the named
    types of the same q-value. What has q=0 is not tried.
    """
    ranges = media_ranges(header)
    named = {name for name, _ in ranges}
    types = []
    # Sorting is stable: equal ones keep the header's order.
    for name, quality in sorted(ranges, key=lambda item: (-item[1], item[0].count("*"))):
        if quality == 0:
            break
        if name not in STAND_INS:
            types.append(name)
        else:
            types.extend(one for one in STAND_INS[name] if one not in named and one not in types)
    return types
