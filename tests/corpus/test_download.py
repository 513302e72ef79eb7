import doctest
import hashlib
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
SUM = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
PATH = "corpus/train.en.gz"
NOWHERE = "http://127.0.0.1:9/train.en.gz"  # no server listens on the port "discard"


@dataclass
class Server:
    """A web server on this machine that misbehaves as configured.

    /to/ADDRESS redirects to the address, and /loop to itself.
    """

    content: bytes = CONTENT
    # For each request: the bytes that are sent before the connection breaks, and an HTTP error.
    break_after: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    content_type: str = "application/octet-stream"
    encoding: str = ""
    requests: list[str] = field(default_factory=list)  # the path of each
    url: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(handler.path)
        if handler.path.startswith(("/to/", "/loop")):
            handler.send_response(302)
            handler.send_header("Location", handler.path.removeprefix("/to/"))
            handler.send_header("Content-Length", "0")
            return handler.end_headers()
        if self.statuses:
            return handler.send_error(self.statuses.pop(0))
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(self.content)))
        handler.send_header("Content-Type", self.content_type)
        if self.encoding:
            handler.send_header("Content-Encoding", self.encoding)
        handler.end_headers()
        handler.wfile.write(self.content[: self.break_after.pop(0) if self.break_after else None])


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
    monkeypatch.setattr(module, "RETRY", module.RETRY.new(backoff_factor=0.0))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def registered(url: str) -> RegisteredFile:
    return RegisteredFile(PATH, url, SUM)


def got(folder: Path, file: RegisteredFile, mirror: str = "") -> bytes:
    """Download to ``output`` in a folder, and return what came; nothing else is left there."""
    before = {*folder.iterdir()}
    download(file, folder / "output", mirror)
    assert {*folder.iterdir()} == before | {folder / "output"}
    return (folder / "output").read_bytes()


def refused(folder: Path, file: RegisteredFile, message: str, mirror: str = "") -> None:
    """Check that a download ends in one line that says why, and that nothing is left of it."""
    before = {*folder.iterdir()}
    with pytest.raises(UserError, match=message) as error:
        download(file, folder / "output", mirror)
    assert "\n" not in str(error.value)
    assert {*folder.iterdir()} == before


def make_mirror(folder: Path, content: bytes = CONTENT, name: str = PATH) -> str:
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(content)
    return str(folder)


def test_a_transfer_that_breaks_begins_anew(server: Server, tmp_path: Path) -> None:
    (tmp_path / "output").write_bytes(b"old")
    server.break_after, server.statuses = [100_000, 50_000, 0], [503, 429]
    assert got(tmp_path, registered(server.url)) == CONTENT
    assert len(server.requests) == 2 + module.ATTEMPTS
    server.break_after, server.requests = [20_000] * 10, []
    refused(tmp_path, registered(server.url), "ChunkedEncodingError|ConnectionError")
    assert len(server.requests) == module.ATTEMPTS


def test_a_web_page_is_not_taken_for_the_file(server: Server, tmp_path: Path) -> None:
    """A hotel's network may answer with its login page."""
    server.content, server.content_type = b"<html>Sign in", "text/html; charset=utf-8"
    refused(
        tmp_path, registered(server.url), "cannot download .*a web page instead of data.*--config mirror="
    )


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
    message = rf"cannot download {tmp_path}/mirror/{PATH} \(no such file\) nor {NOWHERE} \(Conn"
    refused(tmp_path, registered(NOWHERE), message, f"{tmp_path}/mirror")


def test_mirrors(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert got(tmp_path, registered(NOWHERE), make_mirror(tmp_path / "mirror")) == CONTENT
    assert got(tmp_path, registered(NOWHERE), f"{server.url}/data/") == CONTENT
    assert server.requests == [f"/data/{PATH}"]
    assert got(tmp_path, registered(server.url), f"{tmp_path}/none") == CONTENT
    said = f"the mirror does not have {PATH}: {tmp_path}/none/{PATH} (no such file); trying {server.url}"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"tampered", CONTENT + b"x"])
def test_what_is_not_the_registered_file(server: Server, tmp_path: Path, content: bytes) -> None:
    server.content = content
    message = f"sha256 {hashlib.sha256(content).hexdigest():.16}…, but the registry says {SUM[7:23]}"
    refused(tmp_path, registered(server.url), f"{server.url}: {message}")
    mirror = make_mirror(tmp_path / "mirror", content)
    refused(tmp_path, registered(NOWHERE), f"{mirror}/{PATH}: {message}", mirror)


def test_what_a_server_calls_encoded_is_stored_as_it_is_sent(server: Server, tmp_path: Path) -> None:
    """As some do of each .gz."""
    server.encoding = "gzip"
    assert got(tmp_path, registered(server.url)) == CONTENT


def test_what_an_address_keeps_secret_is_not_said(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = server.url.replace("//", "//me:word@") + "/a.gz?token=abc#top"
    server.statuses = [404] * 9
    with pytest.raises(UserError) as error:
        download(RegisteredFile("a.gz", url, SUM), tmp_path / "a", mirror=url)
    said = str(error.value) + capsys.readouterr().err
    assert f"{server.url}/a.gz" in said
    assert not any(secret in said for secret in ("word", "abc", "me:"))


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:text/plain,x"])
def test_a_redirect_to_something_else_is_refused_at_once(server: Server, to: str, tmp_path: Path) -> None:
    refused(tmp_path, registered(f"{server.url}/to/{to}"), "InvalidSchema")
    assert len(server.requests) == 1


def test_redirects_within_this_machine(server: Server, tmp_path: Path) -> None:
    refused(tmp_path, registered(f"{server.url}/to//loop"), "TooManyRedirects")
    assert got(tmp_path, registered(f"{server.url}/to/{server.url}/a")) == CONTENT


def test_the_mirror_is_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may hold a password.  Only what is registered is downloaded."""
    path = "multi30k/val.en.gz"
    make_mirror(tmp_path / "mirror", b"anything", path)
    monkeypatch.setenv("DOWNLOAD_MIRROR", str(tmp_path / "mirror"))
    options = ["--output", tmp_path / "a.gz", "--file"]
    assert f"{tmp_path}/mirror/{path}: sha256" in tiny.error("download", *options, path)
    assert "unknown file 'multi30k/val.en'; did you mean" in tiny.error("download", *options, path[:-3])


def test_doctests() -> None:
    assert doctest.testmod(module).failed == 0
