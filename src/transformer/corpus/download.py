"""Download one file from a mirror or its public address: resumed, retried, and checked by its sha256.

The registry has the address of --file, unless --url gives it.  If the registry has no sha256 of a file,
the lock file (`registry.py`) records its first download, and every later download must be the same.

A file whose sha256 is not known yet must, if it is an archive, be complete; and it must come by https all the way.  It
is resumed only if it holds a checksum itself, since another version may have come to its address.  Redirects lead to
http and https only.
"""

import os
import re
import shutil
import time
from pathlib import Path
from urllib.parse import quote

import requests

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.file_kinds import head_of
from transformer.common.files import atomic_path, sha256_of, sync
from transformer.common.notes import say
from transformer.common.progress import Progress
from transformer.common.project import resource_file
from transformer.corpus.registry import RegisteredFile, check, load_registry, lock_file, record, with_locks
from transformer.corpus.unpack import ARCHIVES, check_archive, has_checksum, is_archive

ATTEMPTS = 4  # one that brings the file further counts as the first again
FIRST_WAIT = 1.0  # seconds before the second attempt; doubles with each attempt
TIMEOUT = 30.0  # seconds without receiving a byte
CHUNK = 1 << 16  # bytes
# Plain http, except from this machine: anyone between here and the server can change what arrives.
UNPROTECTED = re.compile(r"http://(?!(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/|$))", re.IGNORECASE)
_PAGE = re.compile(rb"\s*<(!doctype html|html)\b", re.IGNORECASE)
WEB_PAGE = "a web page instead of data: a login or proxy page, or the address has moved"


def main() -> None:
    parser = argument_parser(__doc__)
    about = "path in the registry; with --url, what a mirror and the lock file call the file"
    parser.add_argument("--file", required=True, help=about)
    parser.add_argument("--url", help="address of a file that is not in the registry")
    parser.add_argument("--mirror", default="", help="folder or base URL to try first (default: none)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    if arguments.url:
        file = RegisteredFile(arguments.file, arguments.url)
    else:
        registry = resource_file("sources.yaml")
        files = load_registry(registry)
        if arguments.file not in files:
            raise UserError(f"{registry}: no file {arguments.file}; there are {', '.join(files)}")
        file = files[arguments.file]
    file = with_locks(file)
    download(file, arguments.output, arguments.mirror)
    if file.sha256 is None:
        file = record(file, arguments.output)
        say(
            f"{file.path}: no checksum is published, so this first download is trusted: sha256 {file.sha256}, "
            f"recorded in {file.recorded_in}; commit that file, since later downloads are checked against it"
        )


def download(file: RegisteredFile, output: Path, mirror: str = "") -> None:
    """Write ``file`` to ``output`` once it is complete and verified; otherwise leave nothing there.

    ``mirror`` is a folder or a base URL that has the file at its registered path.  It is tried first; if it does not
    have the file, a line on standard error says so, and the public address is tried.

    Raises UserError when neither has the file, and when the downloaded file has another sha256 or, if that is not
    known, is a damaged archive.
    """
    advice = f"without internet, set a mirror that holds {file.path}: --config mirror=FOLDER_OR_URL"
    if mirror:
        try:
            return _from_mirror(file, output, mirror)
        except _Unavailable as error:
            say(f"the mirror {mirror} does not have {file.path} ({error}); trying {file.url}")
            advice = f"nor does the mirror {mirror} have {file.path}: check the network or the mirror"
    try:
        _from_url(file, output, file.url)
    except _Unavailable as error:
        raise UserError(f"cannot download {file.url} ({error}); {advice}") from None


class _Unavailable(Exception):
    """One address does not have the file, but another may.  The message is the reason."""


def _from_mirror(file: RegisteredFile, output: Path, mirror: str) -> None:
    if mirror.startswith(("http://", "https://")):
        return _from_url(file, output, f"{mirror.rstrip('/')}/{quote(file.path)}")
    path = Path(mirror) / file.path
    if not path.is_file():
        raise _Unavailable(f"no file {path}")
    with atomic_path(output) as temporary:
        shutil.copyfile(path, temporary)
        _check(temporary, file, str(path))


def _from_url(file: RegisteredFile, output: Path, url: str) -> None:
    """Download ``url`` beside ``output``, resuming what an earlier run left; then check and rename it."""
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(f"{output.name}.part")
    is_resumed = _kept(part, file) > 0
    if not _is_whole(part, file):
        _fetch(url, part, file)
    try:
        _check(part, file, url)
    except UserError:
        part.unlink()
        if not is_resumed:
            raise
        say(f"{url}: the part from an earlier run does not match; starting over")
        return _from_url(file, output, url)
    sync(part)
    os.replace(part, output)
    sync(output.parent)


def _is_whole(part: Path, file: RegisteredFile) -> bool:
    """Return whether ``part`` is all of ``file``, by its sha256: a run was killed before it could rename it."""
    is_candidate = file.sha256 is not None and part.exists() and file.size in (None, part.stat().st_size)
    return is_candidate and sha256_of(part) == file.sha256


def _check(path: Path, file: RegisteredFile, place: str) -> None:
    """Raise UserError when ``path``, downloaded from ``place``, cannot be ``file``."""
    if file.sha256 is not None:
        known = "remove that line to trust this one" if file.recorded_in else "correct the registry"
        check(path, file, place, f"the file is damaged or another version; replace it, or {known}")
        return
    nothing = f"nothing was recorded for {file.path}"
    if _PAGE.match(head_of(path)):
        raise UserError(f"{place}: {WEB_PAGE}; {nothing}")
    if file.path.lower().endswith(ARCHIVES) and not is_archive(path):
        raise UserError(f"{place}: damaged or truncated (no tar or zip archive); {nothing}")
    # Without a known sha256, only the compression tells whether an answer is the file or something else.
    if file.path.lower().endswith((".gz", ".bz2", ".xz")) and not has_checksum(path):
        raise UserError(f"{place}: not compressed, as its name says, so it may be something else; {nothing}")
    try:
        check_archive(path)
    except UserError as error:
        raise UserError(f"{place}: {str(error).removeprefix(f'{path}: ')}; {nothing}") from None


def _fetch(url: str, part: Path, file: RegisteredFile) -> None:
    """Complete ``part`` from ``url``.  Raises _Unavailable when ATTEMPTS fail."""
    failed, most = 0, _kept(part, file)
    while True:
        try:
            return _transfer(url, part, file)
        except requests.RequestException as error:
            kept = _kept(part, file)
            # A server that cannot resume may keep less than before, so the most counts.
            failed, most = (1, kept) if kept > most else (failed + 1, most)
            if failed == ATTEMPTS or _is_final(error):
                raise _Unavailable(_reason(error)) from None
            wait = FIRST_WAIT * 2 ** (failed - 1)
            say(f"{url}: {_reason(error)}; trying again in {wait:.0f} s")
            time.sleep(wait)


def _transfer(url: str, part: Path, file: RegisteredFile) -> None:
    """Append the missing bytes to ``part``; start over where the server, or the file, cannot be resumed."""
    _check_protected(url, file)
    have = _kept(part, file)
    # A transport encoding would change both the bytes and the meaning of a range.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if have and _says_whole(response, have):
            return  # _check will tell if it belongs to another file
        if have and response.status_code == requests.codes.requested_range_not_satisfiable:
            part.unlink()
            return _transfer(url, part, file)
        response.raise_for_status()
        for answer in (*response.history, response):
            _check_protected(answer.url, file)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            raise _Unavailable(WEB_PAGE)  # before it overwrites the part from an earlier run
        if not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            have = 0
        with (
            open(part, "ab" if have else "wb") as stream,
            Progress(file.size, "B", url.rsplit("/", 1)[-1], initial=have) as progress,
        ):
            for chunk in response.iter_content(CHUNK):
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
            f"{url}: plain http, and no sha256 is known to compare with; give an https address, or in {lock_file()} "
            f"the line `{file.path}: {{sha256: …, size: …}}`"
        )


def _kept(part: Path, file: RegisteredFile) -> int:
    """Return how many bytes of ``part`` a transfer goes on from.

    There are none if no checksum would tell that they are of another version of the file than the rest.
    """
    is_checked = part.exists() and (file.sha256 is not None or has_checksum(part))
    return part.stat().st_size if is_checked else 0


def _is_final(error: requests.RequestException) -> bool:
    """Return whether another attempt is pointless: the server refused, or redirects to what is not an address."""
    temporary = (requests.codes.request_timeout, requests.codes.too_many_requests)
    status = 0 if error.response is None else error.response.status_code
    # requests' errors for addresses are ValueErrors.
    is_address = isinstance(error, ValueError | requests.TooManyRedirects)
    return is_address or (400 <= status < 500 and status not in temporary)


def _reason(error: requests.RequestException) -> str:
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"HTTP status {error.response.status_code}"
    return type(error).__name__


if __name__ == "__main__":
    run_script(main)
