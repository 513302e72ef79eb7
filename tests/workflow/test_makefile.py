"""What `make` hands on to Snakemake."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A Python whose `-m venv FOLDER` makes one like it, and whose pip fails.
PYTHON = """#!/bin/sh
case "$2" in
venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
pip) echo "{said}" >&2 && exit 1 ;;
esac
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_values_may_have_blanks() -> None:
    command = ["make", "--dry-run", "results/table2.tex", "SCALE=my scale", "MIRROR=/media/my disk", "SEED=2"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert (
        "results/table2.tex results/first.html results/table2.html --config 'scale=my scale' 'mirror=/media/my disk' "
        "seed=2\n" in printed
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_variable_that_nothing_reads_is_refused() -> None:
    for given in ("scale=small", "SEEDS=[1,2]"):
        command = ["make", "--dry-run", "results/table2.tex", "SEED=2", given]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert f"*** nothing reads {given.partition('=')[0]}=…; `make help` lists what" in run.stderr
        assert run.returncode == 2
        assert "snakemake" not in run.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(
    ("of_pip", "said"),
    [
        ("NewConnectionError: Failed to establish a new connection", "error: no network"),
        ("Temporary failure in name resolution", "error: no network"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES", "THESE PACKAGES DO NOT MATCH THE HASHES"),
    ],
)
def test_pip_without_a_network_is_one_line_and_other_errors_are_its_own(
    tmp_path: Path, of_pip: str, said: str
) -> None:
    (tmp_path / "requirements-extras.lock").write_text("uv==1\n")
    python = tmp_path / "python"
    python.write_text(PYTHON.format(said=of_pip))
    python.chmod(0o755)
    command = ["make", "--file", str(ROOT / "Makefile"), ".uv/bin/uv", f"PYTHON={python}"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    first, *others = run.stderr.splitlines()
    assert first.startswith(said)
    # `make test` runs this under another make, which numbers the lines of this one.
    assert all(re.match(r"make(\[\d+\])?: ", line) for line in others)
    assert not (tmp_path / ".uv/bin/uv").exists()


# A Python in which an import of these parts of its library fails, and a uv whose environments have it.
LACKING = """#!/bin/sh
case "$2" in *lzma*|*sqlite3*) exit 1 ;; esac
exec {python} "$@"
"""
UV = """#!/bin/sh
case "$*" in
*--help*) echo --torch-backend ;;
venv*) for last; do :; done; mkdir -p "$last/bin" && cp python "$last/bin" ;;
esac
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("uv", [True, False])
def test_a_python_without_a_part_of_its_library_is_one_line(tmp_path: Path, uv: bool) -> None:
    for name, text in {
        "python": LACKING.format(python=sys.executable),
        "uv": UV if uv else "#!/bin/sh\n",
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for lock in ("", "-cpu", "-cuda", "-extras"):
        (tmp_path / f"requirements{lock}.lock").touch()
    shutil.copy(ROOT / "Makefile", tmp_path)
    command = ["make", ".venv/ready", "PYTHON=./python"]
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    first, *others = run.stderr.splitlines()
    assert first.startswith("error: the Python at ")
    assert " without _lzma _sqlite3 " in first
    assert all(re.match(r"make(\[\d+\])?: ", line) for line in others)
    assert not (tmp_path / ".venv").exists()
