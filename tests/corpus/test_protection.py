"""What may come over the network: https, or a file whose sha256 is known; redirects to http and https only."""

import doctest
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from transformer.common.errors import UserError
from transformer.corpus import registry
from transformer.corpus.download import download
from transformer.corpus.registry import RegisteredFile, is_unprotected, read_sources

CONTENT = b"A dog runs.\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server on this machine; /to/ADDRESS redirects to the address, and /loop to itself."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith(("/to/", "/loop")):
                self.send_response(302)
                self.send_header("Location", self.path.removeprefix("/to/"))
                self.send_header("Content-Length", "0")
                return self.end_headers()
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{listener.server_port}"
        listener.shutdown()
        thread.join()


def test_doctests() -> None:
    assert doctest.testmod(registry).failed == 0


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
    assert is_unprotected(url) is unprotected


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:text/plain,x"])
def test_a_redirect_to_something_else_is_refused_at_once(server: str, to: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="it redirects to something else than http and https") as error:
        download(RegisteredFile("a", f"{server}/to/{to}"), tmp_path / "a")
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_an_endless_redirect(server: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="it redirects without an end"):
        download(RegisteredFile("a", f"{server}/to//loop"), tmp_path / "a")


def test_a_redirect_within_this_machine_is_followed(server: str, tmp_path: Path) -> None:
    download(RegisteredFile("a", f"{server}/to/{server}/a"), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.fixture
def elsewhere(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A name that stands for another machine, whose requests this one answers."""
    send = requests.Session.send

    def local(self: requests.Session, request: requests.PreparedRequest, **options: object) -> object:
        asked = request.url
        assert asked is not None
        if not asked.startswith("http://example.org"):
            return send(self, request, **options)
        request.url = asked.replace("http://example.org", server)
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
    elsewhere: str, server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    download(RegisteredFile("a", f"{server}/a"), tmp_path / "a", mirror=elsewhere)
    assert "(plain http, and no sha256 is known to compare with); trying" in capsys.readouterr().err


def test_a_redirect_to_plain_http_needs_a_sum(elsewhere: str, server: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"it redirects to {elsewhere}/a: plain http, and no sha256"):
        download(RegisteredFile("a", f"{server}/to/{elsewhere}/a"), tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    download(RegisteredFile("a", f"{server}/to/{elsewhere}/a", SHA256, len(CONTENT)), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


REGISTRY = """\
one:
  title: One
  homepage: http://example.org
  licence: CC BY 4.0
  citation: A. Author
  files:
    - {path: one/a.gz, url: "http://example.org/a.gz"%s}
"""


def test_the_registry_says_so_before_anything_runs(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(REGISTRY % "")
    with pytest.raises(UserError) as error:
        read_sources(path)
    assert str(error.value).startswith(
        f"{path}: one: http://example.org/a.gz is plain http, so anyone on the way could change the file; give an "
        f"https address, or its sha256 and size ({tmp_path}/sources.lock.yaml: one/a.gz: "
    )
    (tmp_path / "sources.lock.yaml").write_text(f"one/a.gz: {{sha256: {SHA256}, size: 12}}\n")
    assert list(read_sources(path)) == ["one"]
    (tmp_path / "sources.lock.yaml").unlink()
    path.write_text(REGISTRY % f", sha256: {SHA256}, size: 12")
    assert list(read_sources(path)) == ["one"]
