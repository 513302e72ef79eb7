"""The virtual environments of the programs that are compared, made from the pinned requirements in `peers/`."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "peers" / "requirements"


class NotInstalled(Exception):
    """Raised when pip cannot install a program; the message is pip's last line."""


def environment(name: str, folder: Path) -> Path:
    """Return the Python of the environment of ``name`` in ``folder``; make it unless it is there and up to date.

    The program's packages are installed without their dependencies, which the file of requirements names as far as
    they are needed.  Some programs would otherwise ask for a version of torch that is older than ours.
    """
    python, made_from = folder / name / "bin" / "python", folder / name / "made-from.txt"
    files = [REQUIREMENTS / "torch.txt", REQUIREMENTS / f"{name}.txt"]
    wanted = "".join(file.read_text(encoding="utf-8") for file in files)
    if made_from.exists() and made_from.read_text(encoding="utf-8") == wanted:
        return python
    print(f"installing {name} into {folder / name} ...", flush=True)
    shutil.rmtree(folder / name, ignore_errors=True)
    venv.create(folder / name, with_pip=True)
    install(python, "--requirement", files[0])
    install(python, "--no-deps", "--requirement", files[1])
    made_from.write_text(wanted, encoding="utf-8")
    return python


def install(python: Path, *arguments: str | Path) -> None:
    """Run pip.  Raises NotInstalled."""
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *map(str, arguments),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
        print(done.stderr, file=sys.stderr)
        raise NotInstalled(errors[-1])
