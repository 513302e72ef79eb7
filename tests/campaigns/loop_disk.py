"""A small disk that can lose its power, fill up and become read-only: ext4 in a file, mounted by root."""

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
from pathlib import Path

SIZE = 2 << 30  # bytes; the file is sparse
# Without auto_da_alloc, a file that is renamed before it is synced may be empty after a power cut, as on most file
# systems.  An error makes the disk read-only, as is usual.
OPTIONS = "loop,noauto_da_alloc,errors=remount-ro"
SHUTDOWN = 0x8004587D  # the ioctl EXT4_IOC_SHUTDOWN
NO_FLUSH = 2  # its EXT4_GOING_FLAGS_NOLOGFLUSH: not even the journal is written


class LoopDisk:
    """The disk in the file ``image``, mounted at ``folder``."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.image, self.folder = image, folder
        self._ballast = folder / "ballast"

    @staticmethod
    def possible(folder: Path) -> bool:
        """Return whether this user and this machine can mount one."""
        if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
            return False
        disk = LoopDisk(folder / "trial.img", folder / "trial")
        try:
            disk.mount()
            disk.unmount()
        except subprocess.CalledProcessError:
            return False
        finally:
            disk.image.unlink(missing_ok=True)
        return True

    def mount(self) -> None:
        if os.path.ismount(self.folder):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.image.exists():
            with self.image.open("wb") as file:
                file.truncate(SIZE)
            subprocess.run(["mkfs.ext4", "-q", "-m", "0", self.image], check=True)
        command = ["mount", "-o", OPTIONS, str(self.image), str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)

    def unmount(self) -> None:
        subprocess.run(["umount", self.folder], check=True)

    def cut_power(self) -> None:
        """Let the disk forget everything that it was not told to keep; nothing works until it is mounted again."""
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", NO_FLUSH))
        finally:
            os.close(descriptor)

    def make_read_only(self) -> None:
        """Report an error of the disk to its file system, which then allows no more writing, also to open files."""
        device = subprocess.run(
            ["findmnt", "-no", "SOURCE", self.folder], check=True, capture_output=True, text=True
        ).stdout.strip()
        Path("/sys/fs/ext4", Path(device).name, "trigger_fs_error").write_text("1")

    def fill(self, left: int) -> None:
        """Leave only this many bytes."""
        status = os.statvfs(self.folder)
        # Files that are not yet written may need what seems to be free; then this is less than asked for.
        with self._ballast.open("wb") as file, contextlib.suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, max(status.f_bavail * status.f_frsize - left, 1))

    def empty(self) -> None:
        self._ballast.unlink(missing_ok=True)
