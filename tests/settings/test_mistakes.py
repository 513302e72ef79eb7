"""The one line that each mistake in config/ and on the command line gets: the file, the key, and what is right.

`recorded/mistakes.txt` has them.  The line of a mistake is JSON, and its message stands below it.  A list has a file of
config/, its keys with dots between them or as a list, and what is written there; `mine` is a scale of the user's own,
of which this is the whole file.  A mapping is what `--config` gives.  Add mistakes without a message and record these;
read the difference:

    RECORD_SETTINGS=1 pytest tests/settings/test_mistakes.py
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from configuration import ROOT, copy_configuration, edit, message

RECORDED = Path(__file__).parent / "recorded" / "mistakes.txt"


def told(project: Path, mistake: Any) -> str:
    """The message for a mistake."""
    if isinstance(mistake, dict):
        name = mistake.get("scale")
        if isinstance(name, str) and name != "smal":
            (project / "config" / f"{name}.yaml").write_text("inherits: demo\n")
        return message(project, **mistake)
    file, *keys, value = mistake
    if file == "mine":
        content = value if isinstance(value, str) else yaml.safe_dump(value, sort_keys=False)
        (project / "config" / "mine.yaml").write_text(content)
    else:
        keys = keys[0] if isinstance(keys[0], list) else keys[0].split(".")
        edit(project, f"{file}.yaml", *keys, value=value)
    needed = {"treebank": "penn"} if file == "paper" else {}
    return message(project, scale="demo" if file == "runs" else file, **needed)


def test_the_lines_are_those_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    recorded = RECORDED.read_text(encoding="utf-8")
    text = ""
    for number, line in enumerate(line for line in recorded.splitlines() if not line.startswith(" ")):
        project = copy_configuration(tmp_path / str(number))
        text += f"{line}\n    {told(project, json.loads(line)).replace(str(project), '…')}\n"
    if os.environ.get("RECORD_SETTINGS"):
        RECORDED.write_text(text, encoding="utf-8")
    assert text == recorded


def test_a_scale_that_a_queued_experiment_of_dvc_lacks(tmp_path: Path) -> None:
    """It runs in a copy of what git tracks."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mine.yaml").touch()
    copy = copy_configuration(tmp_path / ".dvc" / "tmp" / "exps" / "tmp1")
    assert "git does not track config/mine.yaml, so DVC's copy" in message(copy, scale="mine")
    assert "unknown scale 'yours'" in message(copy, scale="yours")
