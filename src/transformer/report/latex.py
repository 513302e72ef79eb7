"""Compiling LaTeX to PDF with the machine's own TeX; the same document gives the same bytes."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from transformer.common.errors import UserError
from transformer.common.files import atomic_path

INSTALL = "on Debian or Ubuntu: apt-get install texlive-latex-recommended lmodern"
RUNS = 3  # after which references and bookmarks no longer change
ERROR = re.compile(r"^(?P<file>[^\n:]+\.\w+):(?P<line>\d+): (?P<what>.+)$", re.MULTILINE)
MISSING = re.compile(r"File `(?P<file>[^']+\.sty)' not found")


def find_latex() -> str | None:
    """Return the path of pdflatex, or None when it is not installed."""
    return shutil.which("pdflatex")


def typeset(document: Path, output: Path, files: Mapping[str, str]) -> list[str]:
    """Compile ``document``, which may read in ``files`` (name → text) and files of the working directory.

    Returns TeX's messages about boxes that are too wide.  Raises UserError with file and line of the first error in the
    document, and with what to install when there is no pdflatex.
    """
    pdflatex = find_latex()
    if pdflatex is None:
        raise UserError(f"{output} needs pdflatex, which is not installed; {INSTALL}")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        options = (
            "-interaction=nonstopmode -halt-on-error -file-line-error -no-shell-escape -jobname=document"
        )
        command = [pdflatex, *options.split(), f"-output-directory={folder}", str(document)]
        log = _run(command, Path(folder))
        with atomic_path(output) as temporary:
            shutil.copyfile(Path(folder, "document.pdf"), temporary)
    return re.findall(r"^Overfull .*$", log, re.MULTILINE)


def _run(command: list[str], folder: Path) -> str:
    """Run ``command`` until its references no longer change; return the last log."""
    # Dates are fixed; lines of the log are not folded, since they are searched.
    environment = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "max_print_line": "1000"}
    environment |= {"TEXINPUTS": f"{folder}:"}
    for _ in range(RUNS):
        done = subprocess.run(
            command, env=os.environ | environment, stdin=subprocess.DEVNULL, capture_output=True
        )
        log = done.stdout.decode(errors="replace")
        if done.returncode != 0:
            raise UserError(_first_error(log, folder))
    return log


def _first_error(log: str, folder: Path) -> str:
    """Return place and message; ``folder`` is left out, since it no longer exists when this is read."""
    if missing := MISSING.search(log):
        return f"LaTeX has no {missing['file']}; {INSTALL}"
    if found := ERROR.search(log.replace(f"{folder}/", "")):
        return f"{found['file'].removeprefix('./')}, line {found['line']}: {found['what']}"
    return f"pdflatex failed: {log.strip()[-200:] or 'no output'}"
