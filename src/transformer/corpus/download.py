"""Download one file from a mirror or its public address: resumed, retried, and checked by its sha256.

The registry has the address of --file, unless it is the user's own: those are in the environment variable OWN_URLS, as
a JSON object of addresses by --file, because they may hold passwords, and a command line is written into logs.  If the
registry has no sha256 of a file, the lock file (`registry.py`) records its first download, and every later download
must be the same.

A file whose sha256 is not known yet must, if it is an archive, be complete; and it must come by https all the way.  It
is resumed only if it holds a checksum itself, since another version may have come to its address.  Redirects lead to
http and https only.
"""

import json
import os
import re
import shutil
from pathlib import Path
from urllib.parse import quote

import requests
from requests.adapters import HTTPAdapter, Retry

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script, unknown
from transformer.common.files import atomic_path, sha256_of, sync
from transformer.common.notes import say
from transformer.common.progress import Progress
from transformer.common.project import resource_file
from transformer.corpus.addresses import is_url, without_secrets
from transformer.corpus.file_formats import ARCHIVES, check_whole, has_checksum, is_archive
from transformer.corpus.registry import (
    RegisteredFile,
    check,
    load_registry,
    lock_file,
    record,
    trusted,
    with_locks,
)

ATTEMPTS = 4  # one that brings the file further counts as the first again
FIRST_WAIT = 1.0  # seconds; doubles with each attempt
TIMEOUT = 30.0  # seconds without receiving a byte
CHUNK = 1 << 16  # bytes
# Plain http, except from this machine: anyone between here and the server can change what arrives.
UNPROTECTED = re.compile(r"http://(?!(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/|$))", re.IGNORECASE)
BUSY = (408, 429, 500, 502, 503, 504)  # statuses with which a server asks to come again
_PAGE = re.compile(rb"\s*<(!doctype html|html)\b", re.IGNORECASE)
WEB_PAGE = "a web page instead of data: a login or proxy page, or the address has moved"
OWN_URLS = "OWN_URLS"


def main() -> None:
    parser = argument_parser(__doc__)
    about = "path in the registry or in OWN_URLS, and in a mirror and the lock file"
    parser.add_argument("--file", required=True, help=about)
    parser.add_argument("--own", action="store_true", help="the address is in OWN_URLS")
    parser.add_argument("--mirror", default="", help="folder or base URL to try first (default: none)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    if arguments.own:
        urls = json.loads(os.environ[OWN_URLS])
        files = {path: RegisteredFile(path, url) for path, url in urls.items()}
    else:
        files = load_registry(resource_file("sources.yaml"))
    if arguments.file not in files:
        raise UserError(unknown("file", arguments.file, files))
    file = with_locks(files[arguments.file])
    download(file, arguments.output, arguments.mirror)
    if file.sha256 is None:
        file = record(file, arguments.output)
        say(trusted(file, file.path))


def download(file: RegisteredFile, output: Path, mirror: str = "") -> None:
    """Write ``file`` to ``output`` once it is complete and verified; otherwise leave nothing there.

    ``mirror`` is a folder or a base URL that has the file at its registered path.  It is tried first; if it does not
    have the file, a line on standard error says so, and the public address is tried.

    Raises UserError when neither has the file, and when the downloaded file is larger than registered, has another
    sha256 or, if that is not known, is a damaged archive.
    """
    url = without_secrets(file.url)
    advice = f"without internet, set a mirror that holds {file.path}: --config mirror=FOLDER_OR_URL"
    if mirror:
        shown = without_secrets(mirror) if is_url(mirror) else mirror
        try:
            return _from_mirror(file, output, mirror)
        except _Unavailable as error:
            say(f"the mirror {shown} does not have {file.path} ({error}); trying {url}")
            advice = f"nor does the mirror {shown} have {file.path}: check the network or the mirror"
    try:
        _from_url(file, output, file.url)
    except _Unavailable as error:
        raise UserError(f"cannot download {url} ({error}); {advice}") from None


class _Unavailable(Exception):
    """One address does not have the file, but another may.  The message is the reason."""


def _from_mirror(file: RegisteredFile, output: Path, mirror: str) -> None:
    if is_url(mirror):
        return _from_url(file, output, f"{mirror.rstrip('/')}/{quote(file.path)}")
    path = Path(mirror) / file.path
    if not path.is_file():
        raise _Unavailable(f"no file {path}")
    _check_size(path.stat().st_size, file, str(path))
    with atomic_path(output) as temporary:
        shutil.copyfile(path, temporary)
        _check(temporary, file, str(path))


def _from_url(file: RegisteredFile, output: Path, url: str) -> None:
    """Download ``url`` beside ``output``, resuming what an earlier run left; then check and rename it."""
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(f"{output.name}.part")
    is_resumed = _kept(part, file) > 0
    is_whole = is_resumed and file.sha256 is not None and sha256_of(part) == file.sha256
    try:
        if not is_whole:  # else a run was killed before it could rename it
            _fetch(url, part, file)
        _check(part, file, without_secrets(url))
    except UserError:
        part.unlink(missing_ok=True)
        if not is_resumed:
            raise
        say(f"{without_secrets(url)}: the part from an earlier run does not match; starting over")
        return _from_url(file, output, url)
    sync(part)
    os.replace(part, output)
    sync(output.parent)


def _check_size(size: int, file: RegisteredFile, place: str) -> None:
    if file.size is not None and size > file.size:
        known = file.recorded_in or "the registry"
        raise UserError(f"{place}: more than the {file.size:,} bytes that {known} says; {_advice(file)}")


def _advice(file: RegisteredFile) -> str:
    known = "remove that line to trust this one" if file.recorded_in else "correct the registry"
    return f"the file is damaged or another version; replace it, or {known}"


def _check(path: Path, file: RegisteredFile, place: str) -> None:
    """Raise UserError when ``path``, downloaded from ``place``, cannot be ``file``."""
    if file.sha256 is not None:
        check(path, file, place, _advice(file))
        return
    name = file.path.lower()
    with open(path, "rb") as opened:
        is_page = _PAGE.match(opened.read(CHUNK))
    try:
        if is_page:
            raise UserError(WEB_PAGE)
        if name.endswith(ARCHIVES) and not is_archive(path):
            raise UserError("damaged or truncated (no tar or zip archive)")
        # Without a known sha256, only the compression tells whether an answer is the file or something else.
        if name.endswith((".gz", ".bz2", ".xz")) and not has_checksum(path):
            raise UserError("not compressed, as its name says, so it may be something else")
        check_whole(path)
    except UserError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise UserError(f"{place}: {reason}; nothing was recorded for {file.path}") from None


def _fetch(url: str, part: Path, file: RegisteredFile) -> None:
    """Complete ``part`` from ``url``.  Raises _Unavailable when ATTEMPTS in a row bring it no further."""
    failed, most = 0, _kept(part, file)
    waits = Retry(
        ATTEMPTS - 1,
        backoff_factor=FIRST_WAIT,
        status_forcelist=BUSY,
        redirect=False,
        raise_on_status=False,
    )
    with requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=waits))
        session.mount("https://", HTTPAdapter(max_retries=waits))
        while True:
            try:
                return _transfer(session, url, part, file)
            except requests.RequestException as error:  # the connection broke
                # A server that cannot resume may keep less than before, so the most counts.
                kept = _kept(part, file)
                failed, most = (1, kept) if kept > most else (failed + 1, most)
                if failed == ATTEMPTS:
                    raise _Unavailable(type(error).__name__) from None
                say(f"{without_secrets(url)}: {type(error).__name__}; trying again")


def _transfer(session: requests.Session, url: str, part: Path, file: RegisteredFile) -> None:
    """Append the missing bytes to ``part``; start over where the server, or the file, cannot be resumed."""
    _check_protected(url, file)
    have = _kept(part, file)
    # A transport encoding would change both the bytes and the meaning of a range.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        answer = session.get(url, headers=headers, stream=True, timeout=TIMEOUT)
    except requests.RequestException as error:  # after all attempts
        raise _Unavailable(type(error).__name__) from None
    with answer as response:
        if have and _says_whole(response, have):
            return  # _check will tell if it belongs to another file
        if have and response.status_code == requests.codes.requested_range_not_satisfiable:
            part.unlink()
            return _transfer(session, url, part, file)
        if not response.ok:
            raise _Unavailable(f"HTTP status {response.status_code}")
        for step in (*response.history, response):
            _check_protected(step.url, file)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            raise _Unavailable(WEB_PAGE)  # before it overwrites the part from an earlier run
        if not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            have = 0
        _check_size(have + int(response.headers.get("Content-Length", 0)), file, without_secrets(url))
        with (
            open(part, "ab" if have else "wb") as stream,
            Progress(file.size, "B", file.path.rsplit("/", 1)[-1], initial=have) as progress,
        ):
            for chunk in response.iter_content(CHUNK):
                _check_size(stream.tell() + len(chunk), file, without_secrets(url))
                stream.write(chunk)
                progress.update(len(chunk))


def _says_whole(response: requests.Response, have: int) -> bool:
    """Return whether a server that was asked for what follows ``have`` bytes says that nothing does."""
    if response.status_code == requests.codes.requested_range_not_satisfiable:
        return response.headers.get("Content-Range", f"bytes */{have}") == f"bytes */{have}"
    # One that cannot resume sends all of it again.
    return response.status_code == requests.codes.ok and response.headers.get("Content-Length") == str(have)


def _check_protected(url: str, file: RegisteredFile) -> None:
    if file.sha256 is None and UNPROTECTED.match(url):
        raise _Unavailable(
            f"{without_secrets(url)}: plain http, and no sha256 is known to compare with; give an https address, or in "
            f"{lock_file()} the line `{file.path}: {{sha256: …, size: …}}`"
        )


def _kept(part: Path, file: RegisteredFile) -> int:
    """Return how many bytes of ``part`` a transfer goes on from.

    There are none if no checksum would tell that they are of another version of the file than the rest.
    """
    is_checked = part.exists() and (file.sha256 is not None or has_checksum(part))
    return part.stat().st_size if is_checked else 0


if __name__ == "__main__":
    run_script(main)
