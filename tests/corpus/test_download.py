import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import tiny

from transformer.common.errors import UserError
from transformer.corpus import download as module
from transformer.corpus.download import download
from transformer.corpus.registry import RegisteredFile

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PATH = "corpus/train.en.gz"
NOWHERE = "http://127.0.0.1:9/train.en.gz"  # no server listens on the port "discard"


@dataclass
class Server:
    """A web server on this machine that misbehaves as configured.

    /to/ADDRESS redirects to the address, and /loop to itself.
    """

    content: bytes = CONTENT
    resumes: bool = True
    # For each request: the bytes that are sent before the connection breaks, and an HTTP error.
    break_after: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
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


def registered(url: str) -> RegisteredFile:
    return RegisteredFile(PATH, url, SHA256, len(CONTENT))


def got(folder: Path, file: RegisteredFile, mirror: str = "") -> bytes:
    """Download to ``output`` in a folder, and return what came; nothing else is left there."""
    before = {*folder.iterdir()} - {folder / "output.part"}
    download(file, folder / "output", mirror)
    assert {*folder.iterdir()} == before | {folder / "output"}
    return (folder / "output").read_bytes()


def refused(folder: Path, file: RegisteredFile, message: str, mirror: str = "") -> None:
    """Check that a download ends in one line that says why, and that at most a part is left of it."""
    before = {*folder.iterdir()}
    with pytest.raises(UserError, match=message) as error:
        download(file, folder / "output", mirror)
    assert "\n" not in str(error.value)
    assert {*folder.iterdir()} - before <= {folder / "output.part"}


def make_mirror(folder: Path, content: bytes = CONTENT, name: str = PATH) -> str:
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(content)
    return str(folder)


def test_an_interrupted_transfer_is_resumed(server: Server, tmp_path: Path) -> None:
    (tmp_path / "output").write_bytes(b"old")
    server.break_after, server.statuses = [100_000, 50_000], [503, 429]
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert [asked for _, asked in server.requests] == [*[None] * 3, "bytes=100000-", "bytes=150000-"]


def test_a_server_that_cannot_resume(server: Server, tmp_path: Path) -> None:
    server.break_after, server.resumes = [100_000], False
    assert got(tmp_path, registered(server.url)) == CONTENT
    server.break_after, server.requests = [20_000, 10_000] * 10, []
    refused(tmp_path, registered(server.url), "ChunkedEncodingError|ConnectionError")
    assert len(server.requests) == module.ATTEMPTS


@pytest.mark.parametrize(
    ("part", "asked"),
    [
        (CONTENT[:10_000], ["bytes=10000-"]),
        (CONTENT, [f"bytes={len(CONTENT)}-"]),  # the run was killed after the last byte
        (b"of another file", ["bytes=15-", None]),
        (CONTENT + b"x", [f"bytes={len(CONTENT) + 1}-", None]),
    ],
)
def test_the_part_from_an_earlier_run(
    server: Server, tmp_path: Path, part: bytes, asked: list[str | None]
) -> None:
    (tmp_path / "output.part").write_bytes(part)
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert [header for _, header in server.requests] == asked


def test_a_page_does_not_replace_a_partial_download(server: Server, tmp_path: Path) -> None:
    """After hours of downloading, a hotel's network may answer with its login page; the next run must resume."""
    (tmp_path / "output.part").write_bytes(CONTENT[:100_000])
    server.content, server.content_type, server.resumes = b"<html>Sign in", "text/html; charset=utf-8", False
    refused(
        tmp_path, registered(server.url), "cannot download .*a web page instead of data.*--config mirror="
    )
    server.content, server.content_type, server.resumes = CONTENT, "application/x-gzip", True
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert server.requests[-1][1] == "bytes=100000-"


def test_what_is_not_there_is_not_asked_for_again(server: Server, tmp_path: Path) -> None:
    server.statuses = [404]
    refused(
        tmp_path,
        registered(server.url),
        rf"cannot download {server.url} \(HTTP status 404\).*--config mirror=",
    )
    assert len(server.requests) == 1
    refused(
        tmp_path, registered(NOWHERE), rf"cannot download {NOWHERE} \(ConnectionError\); .*--config mirror="
    )
    message = rf"cannot download {NOWHERE} .*nor does the mirror {tmp_path}/mirror"
    refused(tmp_path, registered(NOWHERE), message, f"{tmp_path}/mirror")


def test_mirrors(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert got(tmp_path, registered(NOWHERE), make_mirror(tmp_path / "mirror")) == CONTENT
    assert got(tmp_path, registered(NOWHERE), f"{server.url}/data/") == CONTENT
    assert server.requests == [(f"/data/{PATH}", None)]
    assert got(tmp_path, registered(server.url), f"{tmp_path}/none") == CONTENT
    said = f"does not have {PATH} (no file {tmp_path}/none/{PATH}); trying {server.url}"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"tampered",
            rf"sha256 {hashlib.sha256(b'tampered').hexdigest():.16}…, but the registry says {SHA256:.16}",
        ),
        (
            CONTENT + b"x",
            "more bytes, but the registry says 256,000|sha256 .*, but the registry says",
        ),
    ],
)
def test_what_is_not_the_registered_file(
    server: Server, tmp_path: Path, content: bytes, message: str
) -> None:
    server.content = content
    refused(tmp_path, registered(server.url), rf"{server.url}/?: ({message})")
    mirror = make_mirror(tmp_path / "mirror", content)
    refused(tmp_path, registered(NOWHERE), rf"{mirror}/{PATH}: ({message})", mirror)
    recorded = RegisteredFile(PATH, server.url, SHA256, None, recorded_in="config/sources.lock.yaml")
    refused(tmp_path, recorded, r"but config/sources\.lock\.yaml says .* or correct config/sources")
    assert not (tmp_path / "output.part").exists()


# Files without a published checksum.


def test_without_a_sum_nothing_is_resumed(server: Server, tmp_path: Path) -> None:
    """Neither from an earlier run nor within one, since nothing would tell that both parts are of one version."""
    (tmp_path / "output.part").write_bytes(CONTENT[:500])
    server.break_after = [1000]
    assert got(tmp_path, RegisteredFile(PATH, server.url)) == CONTENT
    assert [asked for _, asked in server.requests] == [None, None]


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
    assert got(tmp_path, registered(f"{server.url}/to/{server.url}/a")) == CONTENT


@pytest.mark.parametrize(
    ("url", "unprotected"),
    [
        ("http://example.org/a", True),
        ("http://127.evil.org/a", True),
        ("http://localhost.evil.org/a", True),
        ("HTTP://example.org/a", True),
        ("https://example.org/a", False),
        ("http://127.0.0.1:80/a", False),
        ("http://[::1]/a", False),
    ],
)
def test_plain_http_is_protected_on_this_machine_only(url: str, unprotected: bool) -> None:
    assert bool(module.UNPROTECTED.match(url)) is unprotected


@pytest.mark.parametrize("redirected", [False, True])
def test_plain_http_needs_a_sum(
    server: Server, tmp_path: Path, redirected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an address, of one that it leads to, and of a mirror."""
    monkeypatch.setattr(module, "UNPROTECTED", re.compile(f"{server.url}/plain"))
    url = f"{server.url}/to/{server.url}/plain" if redirected else f"{server.url}/plain"
    message = f"{server.url}/plain(/.*)?: plain http, and no sha256 is known to compare with"
    refused(tmp_path, RegisteredFile("a", url), message)
    refused(tmp_path, RegisteredFile("a", NOWHERE), "nor does the mirror", f"{server.url}/plain")
    assert got(tmp_path, registered(url)) == CONTENT


def test_what_nobody_knows_is_left_to_its_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mirror is in the environment, and so is an address of the user."""
    lock = tmp_path / "sources.lock.yaml"
    monkeypatch.setattr("transformer.corpus.registry.lock_file", lambda: lock)
    make_mirror(tmp_path / "mirror", b"anything", "x.org/a.gz")
    monkeypatch.setenv("DOWNLOAD_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("OWN_URLS", '{"x.org/a.gz": "https://x.org/a.gz?token=1"}')
    options = ["--file", "x.org/a.gz", "--output", tmp_path / "a.gz"]
    done = tiny.run_captured("download", *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert not lock.exists()
    lock.write_text(f"x.org/a.gz: {{sha256: {SHA256}, size: 8}}")
    (tmp_path / "a.gz").unlink()
    assert f"correct {lock} to trust" in tiny.error("download", *options)
