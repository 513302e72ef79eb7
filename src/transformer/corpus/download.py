"""Download one registered file from a mirror or its public address; it is kept only if it has its sum.

DOWNLOAD_MIRROR in the environment is the folder or the base URL to try first.  It may hold a password, and a command
line is written into logs.
"""

import os
import re
import shutil
from pathlib import Path
from urllib.parse import quote

import requests
from requests.adapters import HTTPAdapter, Retry

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import UserError, run_script, unknown
from transformer.common.files import atomic_path
from transformer.common.notes import say
from transformer.common.progress import Progress
from transformer.common.project import resource_file
from transformer.corpus.registry import RegisteredFile, load_registry

ATTEMPTS = 4
# A server that is busy is asked again, after waits that double.
BUSY = (408, 429, 500, 502, 503, 504)
RETRY = Retry(ATTEMPTS - 1, backoff_factor=1.0, status_forcelist=BUSY, redirect=False, raise_on_status=False)
TIMEOUT = 30.0  # seconds without receiving a byte
CHUNK = 1 << 16  # bytes
MIRROR = "DOWNLOAD_MIRROR"


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--file", required=True, help="path in the registry, and in a mirror")
    parser.add_argument("--output", type=Output, required=True)
    arguments = parser.parse_args()
    files = load_registry(resource_file("sources.yaml"))
    if arguments.file not in files:
        raise UserError(unknown("file", arguments.file, files))
    download(files[arguments.file], arguments.output, os.environ.get(MIRROR, ""))


def download(file: RegisteredFile, output: Path, mirror: str = "") -> None:
    """Write ``file`` to ``output`` once it is complete and has its sum; otherwise leave nothing.

    ``mirror`` is a folder or a base URL that has the file at its registered path; it is tried first, and if it does not
    have the file, a note says so.

    Raises UserError when neither has the file, and when what was downloaded has another sum.
    """
    places = [file.url]
    if mirror:
        places.insert(0, f"{mirror.rstrip('/')}/{quote(file.path) if '://' in mirror else file.path}")
    failures = []
    for place in places:
        shown = without_secrets(place)
        try:
            with atomic_path(output) as path:
                _get(place, path)
                file.check(path, shown)
        except requests.RequestException as error:
            reason = str(error) if isinstance(error, _Refused) else type(error).__name__
            failures.append(f"{shown} ({reason})")
            if place != file.url:
                say(
                    f"the mirror does not have {file.path}: {failures[-1]}; trying {without_secrets(file.url)}"
                )
        else:
            return
    raise UserError(
        f"cannot download {' nor '.join(failures)}; check the network or, without internet, set a mirror that holds "
        f"{file.path}: --config mirror=FOLDER_OR_URL"
    )


class _Refused(requests.RequestException):
    """One place does not have the file, but another may.  The message is the reason."""


def _get(place: str, path: Path) -> None:
    """Write what a URL or a path has to ``path``.  Raises RequestException when it cannot be had."""
    if "://" not in place:
        if not Path(place).is_file():
            raise _Refused("no such file")
        shutil.copyfile(place, path)
        return
    with requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=RETRY))
        for attempt in range(1, ATTEMPTS + 1):
            with _answer(session, place) as response:
                try:
                    return _receive(response, path)
                except requests.RequestException as error:  # the connection broke
                    if attempt == ATTEMPTS:
                        raise
                    say(f"{without_secrets(place)}: {type(error).__name__}; trying again from the beginning")


def _answer(session: requests.Session, url: str) -> requests.Response:
    """Ask for a file.  Raises RequestException when the answer is an error or a web page."""
    response = session.get(url, headers={"Accept-Encoding": "identity"}, stream=True, timeout=TIMEOUT)
    if not response.ok:
        raise _Refused(f"HTTP status {response.status_code}")
    if response.headers.get("Content-Type", "").startswith("text/html"):
        raise _Refused("a web page instead of data: a login or proxy page, or the address has moved")
    return response


def _receive(response: requests.Response, path: Path) -> None:
    """Write the content of an answer to ``path``."""
    # Without this header, nothing is decoded: the sum is that of the bytes that are sent.
    response.raw.headers.pop("Content-Encoding", None)
    size = int(response.headers.get("Content-Length", 0))
    with open(path, "wb") as stream, Progress(size or None, "bytes") as progress:
        for chunk in response.iter_content(CHUNK):
            stream.write(chunk)
            progress.update(len(chunk))


def without_secrets(url: str) -> str:
    """Return an address as it may be shown, without user, password, parameters, query and fragment; paths as they are.

    A password with / ? or # in it leads nowhere, but it is a secret all the same.

    >>> without_secrets("https://me:wo/rd@example.org/@a;id=2/b.gz;id=3?token=1")
    'https://example.org/@a/b.gz'
    """
    scheme, separator, rest = url.partition("://")
    rest = re.sub(r"^([^/?#]*|[^/?#\[]*:(?!\d*([/?#]|$))[^@]*)@", "", rest)
    return f"{scheme}://{re.sub('[?#].*|;[^/?#]*', '', rest)}" if separator else url


if __name__ == "__main__":
    run_script(main)
