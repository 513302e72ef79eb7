"""Download one registered file from a mirror or its public address: resumed, retried, and checked by its sum.

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
from transformer.common.files import sync
from transformer.common.notes import say
from transformer.common.progress import Progress
from transformer.common.project import resource_file
from transformer.corpus.registry import RegisteredFile, load_registry

ATTEMPTS = 4  # one that brings the file further counts as the first again
# A server that is busy is asked again, after waits that double.
BUSY = (408, 429, 500, 502, 503, 504)
RETRY = Retry(ATTEMPTS - 1, backoff_factor=1.0, status_forcelist=BUSY, redirect=False, raise_on_status=False)
TIMEOUT = 30.0  # seconds without receiving a byte
CHUNK = 1 << 16  # bytes
NOTHING_FOLLOWS = requests.codes.requested_range_not_satisfiable
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
    """Write ``file`` to ``output`` once it is complete and has its sum.

    Otherwise leave at most a part, from which the next run goes on.  ``mirror`` is a folder or a base URL that has the
    file at its registered path; it is tried first, and if it does not have the file, a note says so.

    Raises UserError when neither has the file, and when what was downloaded has another sum.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(f"{output.name}.part")
    places = [file.url]
    if mirror:
        places.insert(0, f"{mirror.rstrip('/')}/{quote(file.path) if '://' in mirror else file.path}")
    failures = []
    for place in places:
        try:
            _complete(part, place, file)
        except requests.RequestException as error:
            reason = str(error) if isinstance(error, _Refused) else type(error).__name__
            failures.append(f"{without_secrets(place)} ({reason})")
            if place != file.url:
                say(
                    f"the mirror does not have {file.path}: {failures[-1]}; trying {without_secrets(file.url)}"
                )
        else:
            sync(part)
            os.replace(part, output)
            sync(output.parent)
            return
    raise UserError(
        f"cannot download {' nor '.join(failures)}; check the network or, without internet, set a mirror that holds "
        f"{file.path}: --config mirror=FOLDER_OR_URL"
    )


class _Refused(requests.RequestException):
    """One place does not have the file, but another may.  The message is the reason."""


def _complete(part: Path, place: str, file: RegisteredFile) -> None:
    """Get what ``part`` lacks of ``file`` from a URL, or all of it from a path, and check it."""
    is_resumed, shown = part.exists(), without_secrets(place)
    if "://" in place:
        _fetch(place, part)
    elif Path(place).is_file():
        shutil.copyfile(place, part)
    else:
        raise _Refused("no such file")
    try:
        file.check(part, shown)
    except UserError:
        part.unlink()
        if not is_resumed:
            raise
        say(f"{shown}: the part from an earlier run does not match; starting over")
        _complete(part, place, file)


def _fetch(url: str, part: Path) -> None:
    """Complete ``part`` from ``url``.  Raises RequestException when ATTEMPTS in a row bring it no further."""
    failed, most = 0, 0
    with requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=RETRY))
        while True:
            response = _answer(session, url, part.stat().st_size if part.exists() else 0)
            try:
                with response:
                    return _receive(response, part)
            except requests.RequestException as error:  # the connection broke
                # A server that cannot resume may have sent less than before, so the most counts.
                size = part.stat().st_size
                failed, most = (1, size) if size > most else (failed + 1, most)
                if failed == ATTEMPTS:
                    raise
                say(f"{without_secrets(url)}: {type(error).__name__}; trying again")


def _answer(session: requests.Session, url: str, have: int) -> requests.Response:
    """Ask for what follows the ``have`` first bytes of a file."""
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    response = session.get(url, headers=headers, stream=True, timeout=TIMEOUT)
    if not (response.ok or (have and response.status_code == NOTHING_FOLLOWS)):
        raise _Refused(f"HTTP status {response.status_code}")
    if response.ok and response.headers.get("Content-Type", "").startswith("text/html"):
        # Before it overwrites the part from an earlier run.
        raise _Refused("a web page instead of data: a login or proxy page, or the address has moved")
    return response


def _receive(response: requests.Response, part: Path) -> None:
    """Append an answer to ``part`` or, if the server cannot resume, write it from the beginning."""
    if response.status_code == NOTHING_FOLLOWS:
        return  # its sum will tell whether it is the file
    have = part.stat().st_size if response.status_code == requests.codes.partial_content else 0
    # Without this header, nothing is decoded: the sum is that of the bytes that are sent, and so is a range.
    response.raw.headers.pop("Content-Encoding", None)
    following = int(response.headers.get("Content-Length", 0))
    with (
        open(part, "ab" if have else "wb") as stream,
        Progress(have + following if following else None, "bytes", initial=have) as progress,
    ):
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
