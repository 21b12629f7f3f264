"""Who may call a server that runs on the user's own machine.

Any web page that is open there can send requests to the machine's own ports: from its own origin,
or, with a name that it points to 127.0.0.1 (DNS rebinding), as if it were the server's own page.
Both are refused where `mlcli local deploy` started the server. Elsewhere, as on SageMaker, none of
this is checked.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from ipaddress import IPv4Address, IPv6Address

# How many different combinations of headers are remembered with the answer to them.
REMEMBERED = 64

# A host, and a port that does not matter. An address in brackets may have a zone.
AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)(?:%[^\]]*)?\]|([\w.-]+?)\.?)(?::\d*)?", re.ASCII)

LET_IN = "To allow it: mlcli local deploy --allow-host %s"


class Callers:
    """Judges requests. `names` are the server's, besides localhost and addresses."""

    def __init__(self, names: list[str]) -> None:
        self.names = {name.lower() for name in names}
        self.judge_once = lru_cache(REMEMBERED)(self.judge)

    def objection(self, environ: dict[str, Any]) -> str | None:
        """Why a request is refused; None where it is not."""
        uri = environ["RAW_URI"]
        # With an absolute URI, as proxies are asked, the Host does not count (RFC 9112, 3.2.2).
        absolute = None if uri[:1] == "/" else authority_of(uri)
        host = environ.get("HTTP_HOST") if absolute is None else absolute
        return self.judge_once(host, environ.get("HTTP_ORIGIN"))

    def judge(self, host: str | None, origin: str | None) -> str | None:
        """The same for the Host and the Origin; None: not sent, so no browser is asking."""
        called = host and host_of(host)
        if host is not None and not self.is_own(called) and not address_of(called):
            hint = LET_IN % called if called else "The name is not valid."
            return 'Refused: the host "%s" is unknown. %s' % (host, hint)
        if origin is None:
            return None
        page = host_of(authority_of(origin) or "")
        if page is None:
            # The page is a file, or a frame that hides its origin, which any page can make.
            hint = "Serve the page from http://localhost."
        elif page == called or self.is_own(page) or is_this_machine(address_of(page)):
            return None
        else:
            hint = LET_IN % page
        return 'Refused: web pages of the origin "%s" are not allowed. %s' % (origin, hint)

    def is_own(self, name: str | None) -> bool:
        return name in self.names or name == "localhost" or bool(name and name.endswith(".localhost"))


def authority_of(uri: str) -> str | None:
    """What stands between `scheme://` and the path; None where there is no such thing."""
    _, separator, rest = uri.partition("://")
    return re.split("[/?#]", rest, maxsplit=1)[0] if separator else None


def host_of(authority: str) -> str | None:
    """The host in one spelling, without brackets, port, final dot; None where it is not valid."""
    match = AUTHORITY.fullmatch(authority)
    if not match:
        return None
    name = (match.group(1) or match.group(2)).lower()
    address = address_of(name)
    if match.group(1) and not address:
        return None
    return str(address) if address else name


def address_of(name: str | None) -> IPv4Address | IPv6Address | None:
    try:
        return ipaddress.ip_address(name or "")
    except ValueError:
        return None


def is_this_machine(address: IPv4Address | IPv6Address | None) -> bool:
    """Only these addresses are this machine's own; any other may be a web page's."""
    return address is not None and (address.is_loopback or address.is_unspecified)
