"""Download one file from a mirror or its public address: resumed, retried, and checked by its sha256.

The registry has the address of --file.  The user's own addresses are in the environment variable OWN_URLS, as a JSON
object of addresses by --file.  DOWNLOAD_MIRROR is the folder or the base URL to try first.  Both may hold
passwords, and a command line is written into logs.

A file whose sha256 is in neither the registry nor the lock file (`registry.py`) must come by https all the way.  It is
never resumed, since nothing would tell that two parts are of one version; and those who read it judge and record it.
Redirects lead to http and https only.
"""

import json
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
from transformer.corpus.addresses import is_url, without_secrets
from transformer.corpus.registry import RegisteredFile, check, load_registry, lock_file, with_locks

ATTEMPTS = 4  # one that brings the file further counts as the first again
FIRST_WAIT = 1.0  # seconds; doubles with each attempt
TIMEOUT = 30.0  # seconds without receiving a byte
CHUNK = 1 << 16  # bytes
# Plain http, except from this machine: anyone between here and the server can change what arrives.
UNPROTECTED = re.compile(r"http://(?!(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/|$))", re.IGNORECASE)
NOTHING_FOLLOWS = requests.codes.requested_range_not_satisfiable
BUSY = (408, 429, 500, 502, 503, 504)  # statuses with which a server asks to come again
WEB_PAGE = "a web page instead of data: a login or proxy page, or the address has moved"
OWN_URLS, MIRROR = "OWN_URLS", "DOWNLOAD_MIRROR"


def main() -> None:
    parser = argument_parser(__doc__)
    about = "path in the registry or in OWN_URLS, and in a mirror and the lock file"
    parser.add_argument("--file", required=True, help=about)
    parser.add_argument("--output", type=Output, required=True)
    arguments = parser.parse_args()
    urls = json.loads(os.environ.get(OWN_URLS, "{}"))
    files = {path: RegisteredFile(path, url) for path, url in urls.items()}
    files |= load_registry(resource_file("sources.yaml"))
    if arguments.file not in files:
        raise UserError(unknown("file", arguments.file, files))
    download(with_locks(files[arguments.file]), arguments.output, os.environ.get(MIRROR, ""))


def download(file: RegisteredFile, output: Path, mirror: str = "") -> None:
    """Write ``file`` to ``output`` once it is complete and, if its sha256 is known, verified.

    Otherwise leave at most a part, from which the next run goes on.

    ``mirror`` is a folder or a base URL that has the file at its registered path.  It is tried first; if it does not
    have the file, a note says so, and the public address is tried.

    Raises UserError when neither has the file, and when the downloaded file is larger than registered or has another
    sha256.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    url = without_secrets(file.url)
    advice = f"without internet, set a mirror that holds {file.path}: --config mirror=FOLDER_OR_URL"
    if mirror:
        shown = without_secrets(mirror) if is_url(mirror) else mirror
        place = f"{mirror.rstrip('/')}/{quote(file.path) if is_url(mirror) else file.path}"
        try:
            return _from(place, file, output)
        except _Unavailable as error:
            say(f"the mirror {shown} does not have {file.path} ({error}); trying {url}")
            advice = f"nor does the mirror {shown} have {file.path}: check the network or the mirror"
    try:
        _from(file.url, file, output)
    except _Unavailable as error:
        raise UserError(f"cannot download {url} ({error}); {advice}") from None


class _Unavailable(Exception):
    """One address does not have the file, but another may.  The message is the reason."""


def _from(place: str, file: RegisteredFile, output: Path) -> None:
    """Get ``file`` from a URL, or from a folder, beside ``output``; then check and rename it."""
    part = output.with_name(f"{output.name}.part")
    shown = without_secrets(place) if is_url(place) else place
    is_resumed = part.exists()
    try:
        if is_url(place):
            _fetch(place, part, file)
        elif Path(place).is_file():
            shutil.copyfile(place, part)
        else:
            raise _Unavailable(f"no file {place}")
        check(part, file, shown)
    except UserError:
        part.unlink(missing_ok=True)
        if not is_resumed:
            raise
        say(f"{shown}: the part from an earlier run does not match; starting over")
        return _from(place, file, output)
    sync(part)
    os.replace(part, output)
    sync(output.parent)


def _fetch(url: str, part: Path, file: RegisteredFile) -> None:
    """Complete ``part`` from ``url``.  Raises _Unavailable when ATTEMPTS in a row bring it no further."""
    waits = Retry(
        ATTEMPTS - 1,
        backoff_factor=FIRST_WAIT,
        status_forcelist=BUSY,
        redirect=False,
        raise_on_status=False,
    )
    failed, most = 0, 0
    with requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=waits))
        session.mount("https://", HTTPAdapter(max_retries=waits))
        while True:
            have = part.stat().st_size if file.sha256 and part.exists() else 0
            try:
                response = _answer(session, url, file, have)
            except requests.RequestException as error:  # after all attempts
                raise _Unavailable(type(error).__name__) from None
            try:
                with response:
                    return _receive(response, part, file)
            except requests.RequestException as error:  # the connection broke
                # A server that cannot resume may have sent less than before, so the most counts.
                size = part.stat().st_size
                failed, most = (1, size) if size > most else (failed + 1, most)
                if failed == ATTEMPTS:
                    raise _Unavailable(type(error).__name__) from None
                say(f"{without_secrets(url)}: {type(error).__name__}; trying again")


def _answer(session: requests.Session, url: str, file: RegisteredFile, have: int) -> requests.Response:
    """Ask for what follows the ``have`` first bytes of a file."""
    _check_protected(url, file)
    # A transport encoding would change both the bytes and the meaning of a range.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    response = session.get(url, headers=headers, stream=True, timeout=TIMEOUT)
    for step in (*response.history, response):
        _check_protected(step.url, file)
    if not (response.ok or (have and response.status_code == NOTHING_FOLLOWS)):
        raise _Unavailable(f"HTTP status {response.status_code}")
    if response.ok and response.headers.get("Content-Type", "").startswith("text/html"):
        raise _Unavailable(WEB_PAGE)  # before it overwrites the part from an earlier run
    return response


def _receive(response: requests.Response, part: Path, file: RegisteredFile) -> None:
    """Append an answer to ``part`` or, if the server cannot resume, write it from the beginning."""
    if response.status_code == NOTHING_FOLLOWS:
        return  # its sha256 will tell whether it is the file
    have = part.stat().st_size if response.status_code == requests.codes.partial_content else 0
    with (
        open(part, "ab" if have else "wb") as stream,
        Progress(file.size, "bytes", initial=have) as progress,
    ):
        for chunk in response.iter_content(CHUNK):
            if file.size is not None and stream.tell() + len(chunk) > file.size:
                raise file.unlike(without_secrets(response.url), "more bytes", f"{file.size:,}")
            stream.write(chunk)
            progress.update(len(chunk))


def _check_protected(url: str, file: RegisteredFile) -> None:
    if file.sha256 is None and UNPROTECTED.match(url):
        raise _Unavailable(
            f"{without_secrets(url)}: plain http, and no sha256 is known to compare with; give an https address, or in "
            f"{lock_file()} the line `{file.path}: {{sha256: …, size: …}}`"
        )


if __name__ == "__main__":
    run_script(main)
