"""Web addresses, which may hold what is secret: a password before the host, or a token in parameters or the query."""

import re
from urllib.parse import urlsplit

LONGEST = 200  # bytes of a name; of the 255 that Linux allows, temporary files need some


def is_url(file: str) -> bool:
    """Return whether a user has given the address of a file instead of its path."""
    return file.lower().startswith(("http://", "https://"))


def without_secrets(url: str) -> str:
    """Return an address as it may be shown and recorded, without user, password, parameters, query and fragment.

    >>> without_secrets("https://me:word@example.org/a;id=2/b.gz;id=3?token=1")
    'https://example.org/a/b.gz'

    A password with / ? or # in it leads nowhere, but it is a secret all the same.

    >>> without_secrets("https://me:wo/rd@example.org/@a/b.gz")
    'https://example.org/@a/b.gz'
    """
    scheme, separator, rest = url.partition("://")
    rest = re.sub(r"^([^/?#]*|[^/?#\[]*:(?!\d*([/?#]|$))[^@]*)@", "", rest)
    return scheme + separator + re.sub("[?#].*|;[^/?#]*", "", rest)


def download_path(url: str) -> str:
    """Return the path of a file below the folder of downloads, and in a mirror, from the host and path of its address.

    Of a name that is too long for a disk, the end is taken.

    >>> download_path("https://me:word@zenodo.example/record/pairs.zip?token=1")
    'zenodo.example/record/pairs.zip'
    """
    parts = urlsplit(without_secrets(url))
    names = [name for name in f"{parts.netloc}{parts.path}".split("/") if name.strip(".")]
    return "/".join(re.sub("[^A-Za-z0-9._-]+", "_", name)[-LONGEST:] for name in names)
