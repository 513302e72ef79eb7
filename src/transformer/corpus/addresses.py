"""Which addresses are protected on the way: https, and what never leaves this machine."""

import ipaddress
from urllib.parse import urlsplit


def is_unprotected(url: str) -> bool:
    """Return whether anyone between here and the server of ``url`` can change what arrives: plain http.

    >>> is_unprotected("http://data.statmt.org/corpus.tgz"), is_unprotected("http://127.0.0.1:8000/corpus.tgz")
    (True, False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that hold no address
        return True
    if parts.scheme != "http" or parts.hostname == "localhost":
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:  # a name
        return True
