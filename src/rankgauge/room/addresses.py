"""Where a request comes from: the address of its sender, also behind proxies, and whether another site sent it."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

from starlette.requests import Request

from rankgauge.errors import ParameterError

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

FORWARDED = "x-forwarded-for"


def networks(text: str) -> tuple[Network, ...]:
    """Return the networks in a list of addresses and networks, such as `127.0.0.1, 10.0.0.0/8`."""
    try:
        return tuple(ipaddress.ip_network(one.strip(), strict=False) for one in text.split(",") if one.strip())
    except ValueError:
        raise ParameterError("serve", "proxies", "addresses such as 127.0.0.1, 10.0.0.0/8", text) from None


def sender(request: Request, proxies: Sequence[Network]) -> str:
    """The address that sent the request; that before the proxies, if it came by way of those that are configured.

    Each proxy appends whom it heard to a header. Whatever stands left of the first address that is not one of our
    proxies was written by the sender, who may have written anything.
    """
    peer = request.client.host if request.client else "unknown"
    heard = [one.strip() for line in request.headers.getlist(FORWARDED) for one in line.split(",")]
    while heard and is_in(peer, proxies):
        said = heard.pop()
        if _address(said) is None:
            break
        peer = said
    return peer


def is_cross_site(request: Request, base: str) -> bool:
    """Say whether a page of another site sent the request; `base` is the room's own address.

    Programs send neither header. Old browsers, and all where the room has no HTTPS, send only `Origin`.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site not in ("same-origin", "none")
    own = {urlsplit(base).netloc, request.headers.get("host", "")}
    return origin is not None and urlsplit(origin).netloc not in own - {""}


def is_in(address: str, proxies: Sequence[Network]) -> bool:
    """Say whether the address is one of the proxies'."""
    place = _address(address)
    return place is not None and any(place in network for network in proxies)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
