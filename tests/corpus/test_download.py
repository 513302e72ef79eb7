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
    break_after: list[int] = field(
        default_factory=list
    )  # bytes sent before the connection breaks, for each request
    statuses: list[int] = field(default_factory=list)  # HTTP errors, for each request
    silences: list[float] = field(
        default_factory=list
    )  # seconds before the second half is sent, for each request
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


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


NOWHERE = "http://127.0.0.1:9/train.en.gz"  # no server listens on the port "discard"


def test_download(server: Server, tmp_path: Path) -> None:
    output = tmp_path / "new" / "folder" / "train.en.gz"
    download(registered(f"{server.url}/train.en.gz"), output)
    assert output.read_bytes() == CONTENT
    assert left_in(output.parent) == ["train.en.gz"]
    assert server.requests == [("/train.en.gz", None)]


def test_a_correct_file_is_not_downloaded_again(tmp_path: Path) -> None:
    (tmp_path / "output").write_bytes(CONTENT)
    download(registered(NOWHERE), tmp_path / "output")


def test_a_wrong_file_is_replaced(server: Server, tmp_path: Path) -> None:
    (tmp_path / "output").write_bytes(b"old")
    download(registered(server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == CONTENT


def test_an_interrupted_transfer_is_resumed(server: Server, tmp_path: Path) -> None:
    server.break_after = [100_000, 50_000]
    download(registered(server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == CONTENT
    assert [asked for _, asked in server.requests] == [None, "bytes=100000-", "bytes=150000-"]


def test_a_server_that_cannot_resume(server: Server, tmp_path: Path) -> None:
    server.break_after, server.resumes = [100_000], False
    download(registered(server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == CONTENT


def test_attempts_and_waits_begin_again_when_a_part_has_come(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(module, "FIRST_WAIT", 1.0)
    monkeypatch.setattr(time, "sleep", waits.append)
    server.break_after = [10_000, 0] * 10
    download(registered(server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == CONTENT
    assert waits == [1, 2] * 10


def test_a_server_that_begins_each_time_at_the_start_is_given_up(server: Server, tmp_path: Path) -> None:
    server.break_after, server.resumes = [20_000, 10_000] * 10, False
    with pytest.raises(UserError, match="ChunkedEncodingError|ConnectionError"):
        download(registered(server.url), tmp_path / "output")
    assert len(server.requests) == module.ATTEMPTS


def test_a_later_run_resumes(server: Server, tmp_path: Path) -> None:
    server.break_after = [10_000, *[0] * module.ATTEMPTS]
    with pytest.raises(UserError, match="ChunkedEncodingError|ConnectionError"):
        download(registered(server.url), tmp_path / "output")
    assert left_in(tmp_path) == ["output.part"]
    download(registered(server.url), tmp_path / "output")
    assert server.requests[-1][1] == "bytes=10000-"
    assert (tmp_path / "output").read_bytes() == CONTENT
    assert left_in(tmp_path) == ["output"]


@pytest.mark.parametrize("stale", [b"of another file", b"x" * (len(CONTENT) + 5)])
def test_a_part_of_another_file_is_downloaded_again(server: Server, tmp_path: Path, stale: bytes) -> None:
    (tmp_path / "output.part").write_bytes(stale)
    download(registered(server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == CONTENT


def test_a_busy_server_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.statuses = [503, 429]
    download(registered(server.url), tmp_path / "output")
    assert len(server.requests) == 3


def test_a_missing_page_is_not_asked_again(server: Server, tmp_path: Path) -> None:
    server.statuses = [404]
    with pytest.raises(
        UserError, match=rf"cannot download {server.url} \(HTTP status 404\).*--config mirror="
    ):
        download(registered(server.url), tmp_path / "output")
    assert len(server.requests) == 1
    assert left_in(tmp_path) == []


def test_a_wrong_checksum(server: Server, tmp_path: Path) -> None:
    server.content = b"tampered"
    found, expected = hashlib.sha256(b"tampered").hexdigest(), hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(
        UserError, match=rf"{server.url}: sha256 {found:.16}…, but the registry says {expected:.16}"
    ):
        download(registered(server.url), tmp_path / "output")
    assert left_in(tmp_path) == []


def test_a_page_does_not_replace_a_partial_download(server: Server, tmp_path: Path) -> None:
    """After hours of downloading, a hotel's network may answer with its login page; the next run must resume."""
    (tmp_path / "output.part").write_bytes(CONTENT[:100_000])
    server.content, server.content_type, server.resumes = b"<html>Sign in", "text/html; charset=utf-8", False
    with pytest.raises(UserError, match=r"cannot download .*a web page instead of data.*--config mirror="):
        download(registered(server.url), tmp_path / "output")
    server.content, server.content_type, server.resumes = CONTENT, "application/x-gzip", True
    download(registered(server.url), tmp_path / "output")
    assert server.requests[-1][1] == "bytes=100000-"
    assert (tmp_path / "output").read_bytes() == CONTENT


def test_no_network_and_no_mirror(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=rf"cannot download {NOWHERE} \(ConnectionError\); .*--config mirror="
    ) as error:
        download(registered(NOWHERE), tmp_path / "output")
    assert "\n" not in str(error.value)
    assert left_in(tmp_path) == []


def make_mirror(folder: Path, content: bytes = CONTENT) -> str:
    (folder / PATH).parent.mkdir(parents=True)
    (folder / PATH).write_bytes(content)
    return str(folder)


def test_a_folder_as_mirror(tmp_path: Path) -> None:
    download(registered(NOWHERE), tmp_path / "output", make_mirror(tmp_path / "mirror"))
    assert (tmp_path / "output").read_bytes() == CONTENT


def test_an_address_as_mirror(server: Server, tmp_path: Path) -> None:
    download(registered(NOWHERE), tmp_path / "output", f"{server.url}/data/")
    assert server.requests == [(f"/data/{PATH}", None)]


def test_a_mirror_that_lacks_the_file(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    download(registered(server.url), tmp_path / "output", str(tmp_path / "mirror"))
    assert (tmp_path / "output").read_bytes() == CONTENT
    assert (
        f"does not have {PATH} (no file {tmp_path}/mirror/{PATH}); trying {server.url}"
        in capsys.readouterr().err
    )


def test_neither_mirror_nor_network(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=rf"cannot download {NOWHERE} .*nor does the mirror {tmp_path}/mirror"
    ):
        download(registered(NOWHERE), tmp_path / "output", f"{tmp_path}/mirror")


def test_a_wrong_checksum_in_the_mirror(server: Server, tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path / "mirror", b"tampered")
    with pytest.raises(UserError, match=rf"{tmp_path}/mirror/{PATH}: sha256 .* but the registry says"):
        download(registered(server.url), tmp_path / "output", mirror)
    assert server.requests == []
    assert left_in(tmp_path) == ["mirror"]


def test_a_server_that_stops_sending(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT", 0.1)
    server.silences = [0.5]
    download(registered(server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == CONTENT
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
    download(RegisteredFile(ARCHIVE, server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == server.content
    assert server.requests[1][1] == "bytes=1000-"  # its own checksums tell


@pytest.mark.parametrize("name", ["wmt/dev.sgm", "wmt/corpus.tar"])
def test_nothing_tells_two_versions_of_such_a_file_apart(server: Server, tmp_path: Path, name: str) -> None:
    """Neither what an earlier run left is kept, nor what came before the connection broke."""
    server.content = make_archive(mode="w") if name.endswith(".tar") else CONTENT
    (tmp_path / "output.part").write_bytes(b"of an earlier version")
    server.break_after = [5000]
    download(RegisteredFile(name, server.url), tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == server.content
    assert [asked for _, asked in server.requests] == [None, None]


@pytest.mark.parametrize("from_mirror", [False, True])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (make_archive()[:-20], "damaged or truncated.*; nothing was recorded"),
        (gzip.compress(b"not a tar at all", mtime=0), "damaged or truncated.*; nothing was recorded"),
    ],
)
def test_a_file_without_checksum_that_is_a_page_or_damaged(
    server: Server, tmp_path: Path, content: bytes, message: str, from_mirror: bool
) -> None:
    server.content = content
    mirror = ""
    if from_mirror:
        mirror = str(tmp_path / "mirror")
        (tmp_path / "mirror" / "wmt").mkdir(parents=True)
        (tmp_path / "mirror" / ARCHIVE).write_bytes(content)
    with pytest.raises(UserError, match=message):
        download(RegisteredFile(ARCHIVE, server.url), tmp_path / "output", mirror)
    assert left_in(tmp_path) == (["mirror"] if from_mirror else [])


def test_a_file_that_differs_from_the_recorded_one(server: Server, tmp_path: Path) -> None:
    file = RegisteredFile(PATH, server.url, "0" * 64, 5, recorded_in="config/sources.lock.yaml")
    with pytest.raises(
        UserError, match=r"but config/sources\.lock\.yaml recorded 0+… when .*remove that line"
    ):
        download(file, tmp_path / "output")


# What may come over the network: https, or a file whose sha256 is known; redirects to http and https only.


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:text/plain,x"])
def test_a_redirect_to_something_else_is_refused_at_once(server: Server, to: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="InvalidSchema") as error:
        download(RegisteredFile("a", f"{server.url}/to/{to}"), tmp_path / "a")
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_an_endless_redirect(server: Server, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="TooManyRedirects"):
        download(RegisteredFile("a", f"{server.url}/to//loop"), tmp_path / "a")


def test_a_redirect_within_this_machine_is_followed(server: Server, tmp_path: Path) -> None:
    download(RegisteredFile("a", f"{server.url}/to/{server.url}/a"), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


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


def test_plain_http_needs_a_sum(elsewhere: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="plain http, and no sha256 is known to compare with"):
        download(RegisteredFile("a", f"{elsewhere}/a"), tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    download(RegisteredFile("a", f"{elsewhere}/a", SHA256, len(CONTENT)), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_mirror_by_plain_http_needs_a_sum(
    elsewhere: str, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    download(RegisteredFile("a", f"{server.url}/a"), tmp_path / "a", mirror=elsewhere)
    assert "plain http, and no sha256 is known to compare with); trying" in capsys.readouterr().err


def test_a_redirect_to_plain_http_needs_a_sum(elsewhere: str, server: Server, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{elsewhere}/a: plain http, and no sha256"):
        download(RegisteredFile("a", f"{server.url}/to/{elsewhere}/a"), tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    download(RegisteredFile("a", f"{server.url}/to/{elsewhere}/a", SHA256, len(CONTENT)), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
