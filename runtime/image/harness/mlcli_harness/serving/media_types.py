"""Media types of requests and responses: RFC 9110, sections 8.3 and 12.5.1."""

from functools import lru_cache
from email.message import Message

JSON = "application/json"
CSV = "text/csv"


@lru_cache(maxsize=256)
def parse_content_type(header):
    """A Content-Type as (media type in lower case without parameters, charset or None).

    An absent one means JSON, as on the platform.
    """
    if not header.strip():
        return JSON, None
    message = Message()
    message["Content-Type"] = header
    charset = message.get_param("charset")
    media_type = header.partition(";")[0].strip().lower()
    return media_type, charset if isinstance(charset, str) else None


@lru_cache(maxsize=256)
def acceptable_types(header):
    """The media ranges of an Accept header, lower case, without parameters, the best first.

    Those with q=0 are left out; an absent header means anything. Equal q-values keep their order,
    but a wildcard comes after the types that are named.
    """
    ranges = []
    for item in header.split(","):
        name, _, parameters = item.partition(";")
        name = name.strip().lower()
        quality = parse_quality(parameters)
        if name and quality > 0:
            ranges.append((-quality, name.count("*"), name))
    if not ranges and not header.strip():
        return ("*/*",)
    # Sorting is stable; the name itself must not decide.
    return tuple(name for _, _, name in sorted(ranges, key=lambda item: item[:2]))


def parse_quality(parameters):
    """The q-value among the parameters of a media range, 1 where there is none or it is not one."""
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 1.0
    return 1.0


def candidates(header):
    """The response types to try, the best first: wildcards stand for JSON, or CSV for `text/*`."""
    stand_ins = {"*/*": (JSON, CSV), "application/*": (JSON,), "text/*": (CSV,)}
    types = []
    for name in acceptable_types(header):
        types.extend(one for one in stand_ins.get(name, (name,)) if one not in types)
    return types
