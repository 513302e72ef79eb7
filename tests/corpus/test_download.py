import gzip
import hashlib
import io
import tarfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

import pytest
import requests

from transformer.common.errors import UserError
from transformer.common.progress import Progress
from transformer.corpus import download as module
from transformer.corpus.download import download
from transformer.corpus.registry import RegisteredFile

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PATH = "corpus/train.en.gz"


@dataclass
class Server:
    """A web server on this machine that misbehaves as configured.

    /to/ADDRESS redirects to the address, and /loop to itself.
    """

    content: bytes = CONTENT
    resumes: bool = True
    # For each request: the bytes that are sent before the connection breaks, an HTTP error, and the seconds before the
    # second half is sent.
    break_after: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    silences: list[float] = field(default_factory=list)
    says_length: bool = True
    content_type: str = "application/octet-stream"
    requests: list[tuple[str, str | None]] = field(default_factory=list)  # path and Range of each request
    url: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        asked = handler.headers["Range"]
        self.requests.append((handler.path, asked))
        if handler.path.startswith(("/to/", "/loop")):
            handler.send_response(302)
            handler.send_header("Location", handler.path.removeprefix("/to/"))
            handler.send_header("Content-Length", "0")
            return handler.end_headers()
        if self.statuses:
            return handler.send_error(self.statuses.pop(0))
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and self.resumes else 0
        if start and start >= len(self.content):
            return handler.send_error(416)
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(self.content) - 1}/{len(self.content)}")
        if self.says_length:
            handler.send_header("Content-Length", str(len(self.content) - start))
        handler.send_header("Content-Type", self.content_type)
        handler.end_headers()
        stop = start + self.break_after.pop(0) if self.break_after else None
        if self.silences:
            half = len(self.content) // 2
            handler.wfile.write(self.content[start:half])
            time.sleep(self.silences.pop(0))
            start = max(start, half)
        handler.wfile.write(self.content[start:stop])


@pytest.fixture
def server() -> Iterator[Server]:
    behaviour = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            behaviour.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        behaviour.url = f"http://127.0.0.1:{listener.server_port}"
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield behaviour
        listener.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_WAIT", 0.0)
    monkeypatch.setattr(module, "CHUNK", 1000)  # an interrupted transfer loses the last chunk
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def registered(url: str, content: bytes = CONTENT) -> RegisteredFile:
    return RegisteredFile(PATH, url, hashlib.sha256(content).hexdigest(), len(content))


def got(folder: Path, file: RegisteredFile, mirror: str = "") -> bytes:
    """Download to ``output`` in a folder, and return what came; nothing else is left there."""
    before = {*folder.iterdir()} - {folder / "output.part"}
    download(file, folder / "output", mirror)
    assert {*folder.iterdir()} == before | {folder / "output"}
    return (folder / "output").read_bytes()


def refused(folder: Path, file: RegisteredFile, message: str, mirror: str = "", left: bool = False) -> None:
    """Check that a download ends in one line that says why, and that at most a part is left of it."""
    before = {*folder.iterdir()}
    with pytest.raises(UserError, match=message) as error:
        download(file, folder / "output", mirror)
    assert "\n" not in str(error.value)
    assert {*folder.iterdir()} - before == ({folder / "output.part"} if left else set())


NOWHERE = "http://127.0.0.1:9/train.en.gz"  # no server listens on the port "discard"


def test_a_new_file_is_made_and_an_old_one_replaced(server: Server, tmp_path: Path) -> None:
    output = tmp_path / "new" / "folder" / "train.en.gz"
    for _ in range(2):
        download(registered(f"{server.url}/train.en.gz"), output)
        assert output.read_bytes() == CONTENT
        output.write_bytes(b"old")
    assert server.requests == [("/train.en.gz", None)] * 2


def test_an_interrupted_transfer_is_resumed(server: Server, tmp_path: Path) -> None:
    server.break_after = [100_000, 50_000]
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert [asked for _, asked in server.requests] == [None, "bytes=100000-", "bytes=150000-"]


def test_a_server_that_cannot_resume(server: Server, tmp_path: Path) -> None:
    server.break_after, server.resumes = [100_000], False
    assert got(tmp_path, registered(server.url)) == CONTENT


def test_a_server_that_begins_each_time_at_the_start_is_given_up(server: Server, tmp_path: Path) -> None:
    server.break_after, server.resumes = [20_000, 10_000] * 10, False
    refused(tmp_path, registered(server.url), "ChunkedEncodingError|ConnectionError", left=True)
    assert len(server.requests) == module.ATTEMPTS


def test_a_later_run_resumes(server: Server, tmp_path: Path) -> None:
    server.break_after = [10_000, *[0] * module.ATTEMPTS]
    refused(tmp_path, registered(server.url), "ChunkedEncodingError|ConnectionError", left=True)
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert server.requests[-1][1] == "bytes=10000-"


@pytest.mark.parametrize("stale", [b"of another file", b"x" * (len(CONTENT) + 5)])
def test_a_part_of_another_file_is_downloaded_again(server: Server, tmp_path: Path, stale: bytes) -> None:
    (tmp_path / "output.part").write_bytes(stale)
    assert got(tmp_path, registered(server.url)) == CONTENT


def test_a_whole_part_is_not_downloaded_again(server: Server, tmp_path: Path) -> None:
    """The run was killed after the last byte."""
    (tmp_path / "output.part").write_bytes(CONTENT)
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert server.requests == []


@pytest.mark.parametrize("resumes", [True, False])
def test_a_whole_part_without_a_checksum(server: Server, tmp_path: Path, resumes: bool) -> None:
    """The server says that it has no more, or has as many bytes; the part's own checksums say the rest."""
    server.content, server.resumes = make_archive(), resumes
    (tmp_path / "output.part").write_bytes(server.content)
    before = (tmp_path / "output.part").stat().st_ino
    assert got(tmp_path, RegisteredFile(ARCHIVE, server.url)) == server.content
    assert (tmp_path / "output").stat().st_ino == before
    assert len(server.requests) == 1


def test_a_busy_server_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.statuses = [503, 429]
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert len(server.requests) == 3


def test_a_missing_page_is_not_asked_again(server: Server, tmp_path: Path) -> None:
    server.statuses = [404]
    message = rf"cannot download {server.url} \(HTTP status 404\).*--config mirror="
    refused(tmp_path, registered(server.url), message)
    assert len(server.requests) == 1


def test_a_wrong_checksum(server: Server, tmp_path: Path) -> None:
    server.content = b"tampered"
    found = hashlib.sha256(b"tampered").hexdigest()
    message = rf"{server.url}: sha256 {found:.16}…, but the registry says {SHA256:.16}"
    refused(tmp_path, registered(server.url), message)
    mirror = make_mirror(tmp_path / "mirror", b"tampered")
    refused(tmp_path, registered(NOWHERE), rf"{mirror}/{PATH}: sha256 .* but the registry says", mirror)


def test_a_page_does_not_replace_a_partial_download(server: Server, tmp_path: Path) -> None:
    """After hours of downloading, a hotel's network may answer with its login page; the next run must resume."""
    (tmp_path / "output.part").write_bytes(CONTENT[:100_000])
    server.content, server.content_type, server.resumes = b"<html>Sign in", "text/html; charset=utf-8", False
    message = r"cannot download .*a web page instead of data.*--config mirror="
    refused(tmp_path, registered(server.url), message)
    server.content, server.content_type, server.resumes = CONTENT, "application/x-gzip", True
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert server.requests[-1][1] == "bytes=100000-"


def make_mirror(folder: Path, content: bytes = CONTENT, name: str = PATH) -> str:
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(content)
    return str(folder)


def test_a_folder_or_an_address_as_mirror(server: Server, tmp_path: Path) -> None:
    assert got(tmp_path, registered(NOWHERE), make_mirror(tmp_path / "mirror")) == CONTENT
    (tmp_path / "output").unlink()
    assert got(tmp_path, registered(NOWHERE), f"{server.url}/data/") == CONTENT
    assert server.requests == [(f"/data/{PATH}", None)]


def test_a_mirror_that_lacks_the_file(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror = f"{tmp_path}/mirror"
    assert got(tmp_path, registered(server.url), mirror) == CONTENT
    said = f"does not have {PATH} (no file {mirror}/{PATH}); trying {server.url}"
    assert said in capsys.readouterr().err


def test_no_network(tmp_path: Path) -> None:
    message = rf"cannot download {NOWHERE} \(ConnectionError\); .*--config mirror="
    refused(tmp_path, registered(NOWHERE), message)
    message = rf"cannot download {NOWHERE} .*nor does the mirror {tmp_path}/mirror"
    refused(tmp_path, registered(NOWHERE), message, f"{tmp_path}/mirror")


def test_a_server_that_stops_sending(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT", 0.1)
    server.silences = [0.5]
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert server.requests[1][1] == f"bytes={len(CONTENT) // 2}-"


# Files without a published checksum.

ARCHIVE = "wmt/corpus.tgz"


def make_archive(mode: Literal["w", "w:gz"] = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:
        member = tarfile.TarInfo("corpus.en")
        member.size = len(CONTENT)
        tar.addfile(member, io.BytesIO(CONTENT))
    return buffer.getvalue()


def test_a_file_without_checksum_is_accepted_when_it_is_complete(server: Server, tmp_path: Path) -> None:
    server.content = make_archive()
    server.break_after = [1000]
    assert got(tmp_path, RegisteredFile(ARCHIVE, server.url)) == server.content
    assert server.requests[1][1] == "bytes=1000-"  # its own checksums tell


@pytest.mark.parametrize("name", ["wmt/dev.sgm", "wmt/corpus.tar"])
def test_nothing_tells_two_versions_of_such_a_file_apart(server: Server, tmp_path: Path, name: str) -> None:
    """Neither what an earlier run left is kept, nor what came before the connection broke."""
    server.content = make_archive(mode="w") if name.endswith(".tar") else CONTENT
    (tmp_path / "output.part").write_bytes(b"of an earlier version")
    server.break_after = [5000]
    assert got(tmp_path, RegisteredFile(name, server.url)) == server.content
    assert [asked for _, asked in server.requests] == [None, None]


@pytest.mark.parametrize("from_mirror", [False, True])
@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        (ARCHIVE, make_archive()[:-20], "damaged or truncated"),
        (ARCHIVE, gzip.compress(b"not a tar at all", mtime=0), "damaged or truncated"),
        ("wmt/train.de", b"<!DOCTYPE html><html>Sign in</html>", "a web page instead of data"),
        ("wmt/test.en.gz", b"Access denied by the proxy\n", "not compressed, as its name says"),
    ],
)
def test_what_cannot_be_the_file_is_not_recorded(
    server: Server, tmp_path: Path, name: str, content: bytes, what: str, from_mirror: bool
) -> None:
    """A damaged archive, or an answer of a proxy that no sha256 would tell from the file."""
    server.content = content
    mirror = make_mirror(tmp_path / "mirror", content, name) if from_mirror else ""
    refused(tmp_path, RegisteredFile(name, server.url), f"{what}.*; nothing was recorded", mirror)


def test_a_file_that_differs_from_the_recorded_one(server: Server, tmp_path: Path) -> None:
    file = RegisteredFile(PATH, server.url, "0" * 64, len(CONTENT), recorded_in="config/sources.lock.yaml")
    refused(tmp_path, file, r"but config/sources\.lock\.yaml recorded 0+… when .*remove that line")


@pytest.mark.parametrize("says", [True, False])
def test_what_is_larger_than_registered_is_not_written(
    server: Server, tmp_path: Path, says: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the server says its size or not, and in a folder, too."""
    server.says_length, written = says, list[int]()
    monkeypatch.setattr(Progress, "update", lambda self, count: written.append(count))
    file = RegisteredFile(PATH, server.url, "0" * 64, 5000)
    message = "more than the 5,000 bytes that the registry says; the file is damaged or another version"
    refused(tmp_path, file, message)
    assert sum(written) <= 5000
    refused(tmp_path, file, message, make_mirror(tmp_path / "mirror"))


def test_what_an_address_keeps_secret_is_not_said(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = server.url.replace("//", "//me:word@") + "/a.gz?token=abc#top"
    server.statuses = [404] * 9
    with pytest.raises(UserError) as error:
        download(RegisteredFile("a.gz", url), tmp_path / "a", mirror=url)
    said = str(error.value) + capsys.readouterr().err
    assert f"{server.url}/a.gz" in said
    assert not any(secret in said for secret in ("word", "abc", "me:"))


# What may come over the network: https, or a file whose sha256 is known; redirects to http and https only.


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:text/plain,x"])
def test_a_redirect_to_something_else_is_refused_at_once(server: Server, to: str, tmp_path: Path) -> None:
    refused(tmp_path, RegisteredFile("a", f"{server.url}/to/{to}"), "InvalidSchema")
    assert len(server.requests) == 1


def test_redirects_within_this_machine(server: Server, tmp_path: Path) -> None:
    refused(tmp_path, RegisteredFile("a", f"{server.url}/to//loop"), "TooManyRedirects")
    assert got(tmp_path, RegisteredFile("a", f"{server.url}/to/{server.url}/a")) == CONTENT


@pytest.mark.parametrize(
    ("url", "unprotected"),
    [
        ("http://example.org/a", True),
        ("http://127.evil.org/a", True),
        ("http://localhost.evil.org/a", True),
        ("http://user@10.0.0.1/a", True),
        ("http://[::2]/a", True),
        ("http://[broken/a", True),
        ("HTTP://example.org/a", True),
        ("https://example.org/a", False),
        ("http://127.0.0.1:80/a", False),
        ("http://[::1]/a", False),
        ("http://localhost/a", False),
    ],
)
def test_plain_http_is_protected_on_this_machine_only(url: str, unprotected: bool) -> None:
    assert bool(module.UNPROTECTED.match(url)) is unprotected


@pytest.fixture
def elsewhere(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A name that stands for another machine, whose requests this one answers."""
    send = requests.Session.send

    def local(self: requests.Session, request: requests.PreparedRequest, **options: object) -> object:
        asked = request.url
        assert asked is not None
        if not asked.startswith("http://example.org"):
            return send(self, request, **options)
        request.url = asked.replace("http://example.org", server.url)
        response = send(self, request, **options)
        response.url = asked
        return response

    monkeypatch.setattr(requests.Session, "send", local)
    return "http://example.org"


@pytest.mark.parametrize("redirected", [False, True])
def test_plain_http_needs_a_sum(elsewhere: str, server: Server, tmp_path: Path, redirected: bool) -> None:
    url = f"{server.url}/to/{elsewhere}/a" if redirected else f"{elsewhere}/a"
    message = f"{elsewhere}/a: plain http, and no sha256 is known to compare with"
    refused(tmp_path, RegisteredFile("a", url), message)
    assert got(tmp_path, RegisteredFile("a", url, SHA256, len(CONTENT))) == CONTENT


def test_a_mirror_by_plain_http_needs_a_sum(
    elsewhere: str, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert got(tmp_path, RegisteredFile("a", f"{server.url}/a"), mirror=elsewhere) == CONTENT
    said = capsys.readouterr().err
    assert "plain http, and no sha256 is known to compare with; give an https address, or in " in said
    assert "; trying http://127.0.0.1" in said
