"""Fetching a registered file: from a mirror or its public address, resumed, retried, and checked by its sha256.

pooch checks and places the file; the transport below adds what it lacks, going on where an interrupted transfer
stopped.  A file whose sha256 nobody knows yet must at least be no web page and, as an archive, whole.
"""

import os
import shutil
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pooch
import requests
import urllib3

from transformer.common.errors import UserError
from transformer.common.files import atomic_path, sha256_of
from transformer.common.progress import Progress
from transformer.corpus.archives import check_archive
from transformer.corpus.registry import RegisteredFile, wrong_checksum

ATTEMPTS = 4
FIRST_WAIT = 1.0  # seconds before the second attempt; doubles with each
TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 16  # bytes


def download(file: RegisteredFile, output: Path | str, mirror: str | None = None) -> None:
    """Put ``file`` at ``output``, whole and verified, or leave nothing there.

    ``mirror`` is a folder or a base URL that holds the file at its registered path; it is tried first, and where
    it lacks the file, a line on standard error says so and the public address is tried.

    Raises UserError when the file cannot be had from either, and when what comes has another sha256 or, where none
    is known, is a web page or a damaged archive.
    """
    output = Path(output)
    if output.is_file() and file.sha256 in (None, sha256_of(output)):
        return _check_unknown(output, file, str(output))
    advice = f"without internet, set a mirror that holds {file.path}: --config mirror=FOLDER_OR_URL"
    if mirror:
        try:
            return _from_mirror(file, output, mirror)
        except _Unavailable as error:
            print(
                f"the mirror {mirror} does not give {file.path} ({error}); trying {file.url}", file=sys.stderr
            )
            advice = f"nor does the mirror {mirror} give {file.path}: check the network or the mirror"
    try:
        _from_url(file, output, file.url)
    except _Unavailable as error:
        raise UserError(f"cannot download {file.url} ({error}); {advice}") from None


class _Unavailable(Exception):
    """A place does not give the file, but another may; the message is the reason."""


def _from_mirror(file: RegisteredFile, output: Path, mirror: str) -> None:
    if mirror.startswith(("http://", "https://")):
        return _from_url(file, output, f"{mirror.rstrip('/')}/{quote(file.path)}")
    path = Path(mirror) / file.path
    if not path.is_file():
        raise _Unavailable(f"no file {path}")
    with atomic_path(output) as temporary:
        shutil.copyfile(path, temporary)
        _check_unknown(temporary, file, str(path))
        if (found := sha256_of(temporary)) != file.sha256 and file.sha256 is not None:
            raise UserError(_wrong_checksum(str(path), found, file))


def _from_url(file: RegisteredFile, output: Path, url: str) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    pooch.get_logger().setLevel("ERROR")  # our own lines say what pooch's would
    transport = _ResumingTransport(output.with_name(f"{output.name}.part"), file)
    expected = f"sha256:{file.sha256}" if file.sha256 else None
    try:
        pooch.retrieve(url, expected, fname=output.name, path=output.parent, downloader=transport)
    except (
        ValueError,
        UserError,
    ) as error:  # ValueError: pooch's word for a wrong checksum; the file is removed
        if transport.continued:
            print(f"{url}: what an earlier run left does not fit; starting anew", file=sys.stderr)
            return _from_url(file, output, url)
        if isinstance(error, UserError):
            raise
        raise UserError(_wrong_checksum(url, transport.sha256, file, transport.beginning)) from None


_PAGE = "a web page instead of data: a login or proxy page, or the address has moved"


def _wrong_checksum(place: str, found: str, file: RegisteredFile, beginning: bytes = b"") -> str:
    known = "remove that line to trust this one" if file.recorded_in else "correct the registry"
    advice = f"the file is damaged or another version; replace it, or {known}"
    return f"{wrong_checksum(file, place, found)}; {f'it is {_PAGE}' if _is_page(beginning) else advice}"


def _check_unknown(path: Path, file: RegisteredFile, place: str) -> None:
    """Raise UserError when ``path``, which came from ``place`` and whose sha256 is not known, cannot be ``file``."""
    if file.sha256 is not None:
        return
    if _is_page(_beginning(path)):
        raise UserError(f"{place}: this is {_PAGE}; nothing was recorded for {file.path}")
    try:
        check_archive(path, kind=file.path)
    except UserError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise UserError(f"{place}: {reason}; nothing was recorded for {file.path}") from None


def _is_page(beginning: bytes) -> bool:
    return beginning.lstrip().lower().startswith((b"<!doctype html", b"<html"))


def _beginning(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(256)


class _ResumingTransport:
    """A downloader for pooch that keeps what it has in ``part`` and asks only for the rest, also in a later run."""

    def __init__(self, part: Path, file: RegisteredFile) -> None:
        self._part, self._file = part, file
        self.continued = part.exists()  # what an earlier run began
        self.sha256 = ""  # of what came
        self.beginning = b""

    def __call__(self, url: str, output_file: str, _: pooch.Pooch) -> None:
        """Download ``url`` to ``output_file``.

        Raises _Unavailable when every attempt fails, UserError when what came cannot be the file.
        """
        wait = FIRST_WAIT
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._transfer(url)
                break
            except requests.RequestException as error:
                reason = _reason(error)
                if attempt == ATTEMPTS or _is_final(error):
                    raise _Unavailable(reason) from None
                print(f"{url}: {reason}; trying again in {wait:.0f} s", file=sys.stderr)
                time.sleep(wait)
                wait *= 2
        try:
            _check_unknown(self._part, self._file, url)
        except UserError:
            self._part.unlink()
            raise
        self.sha256, self.beginning = sha256_of(self._part), _beginning(self._part)
        os.replace(self._part, output_file)

    def _transfer(self, url: str) -> None:
        """Append what is missing to the part; start anew where the server cannot resume."""
        have = self._part.stat().st_size if self._part.exists() else 0
        # Uncompressed, since a transport encoding would change both the bytes and the meaning of a range.
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                self._part.unlink()  # nothing is missing, or the part is of another file: the checksum tells
                return self._transfer(url)
            response.raise_for_status()
            if response.headers.get("Content-Type", "").startswith("text/html"):
                raise _Unavailable(_PAGE)  # before it takes the place of what an earlier run began
            resumed = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
            length = int(response.headers.get("Content-Length", 0)) + (have if resumed else 0)
            name = url.rsplit("/", 1)[-1]
            with (
                open(self._part, "ab" if resumed else "wb") as file,
                Progress(
                    self._file.size or length or None, "B", name, initial=have if resumed else 0
                ) as progress,
            ):
                for chunk in response.iter_content(CHUNK):
                    file.write(chunk)
                    progress.update(len(chunk))


def _is_final(error: requests.RequestException) -> bool:
    """Whether trying again is vain: the server understood and refused."""
    return (
        error.response is not None
        and error.response.status_code in range(400, 500)
        and (
            error.response.status_code
            not in (requests.codes.request_timeout, requests.codes.too_many_requests)
        )
    )


def _reason(error: requests.RequestException) -> str:
    if error.response is not None:
        return f"HTTP status {error.response.status_code}"
    # requests calls it a lost connection when the server falls silent in the middle.
    silent = bool(error.args) and isinstance(error.args[0], urllib3.exceptions.ReadTimeoutError)
    if silent or isinstance(error, requests.Timeout):
        return f"no answer within {TIMEOUT:.0f} s"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke"
    return "no connection" if isinstance(error, requests.ConnectionError) else type(error).__name__
