"""Web addresses, which may hold what is secret: a password before the host, or a token in the query."""

import re
from urllib.parse import urlsplit


def is_url(file: str) -> bool:
    """Return whether a user has given the address of a file instead of its path."""
    return file.lower().startswith(("http://", "https://"))


def without_secrets(url: str) -> str:
    """Return an address as it may be shown and recorded, without user, password, query and fragment.

    >>> without_secrets("https://me:word@example.org/a/b.gz?token=1")
    'https://example.org/a/b.gz'
    """
    scheme, separator, rest = url.partition("://")
    return (
        scheme
        + separator
        + re.split("[?#]", rest.rpartition("@")[2] if "@" in rest.split("/")[0] else rest)[0]
    )


def download_path(url: str) -> str:
    """Return the path of a file below the folder of downloads, and in a mirror, from the host and path of its address.

    >>> download_path("https://me:word@zenodo.example/record/pairs.zip?token=1")
    'zenodo.example/record/pairs.zip'
    """
    parts = urlsplit(without_secrets(url))
    names = [name for name in f"{parts.netloc}{parts.path}".split("/") if name.strip(".")]
    return "/".join(re.sub("[^A-Za-z0-9._-]+", "_", name) for name in names)
