"""A folder served on this machine, as a server to download from and to upload to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(SimpleHTTPRequestHandler):
    """Sends the files of a folder, and writes those that arrive by PUT in chunks, as DVC sends them."""

    def do_PUT(self) -> None:
        path = Path(self.translate_path(self.path))
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            while size := int(self.rfile.readline(), 16):
                file.write(self.rfile.read(size))
                self.rfile.readline()
        self.send_response(HTTPStatus.CREATED)
        self.end_headers()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder; gives its address."""
    handler = partial(Handler, directory=str(folder))
    handler.log_message = lambda *arguments: None  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
