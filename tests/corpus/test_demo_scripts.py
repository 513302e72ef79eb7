"""generate_demo.py and score_baselines.py, run as a user runs them."""

import json
import subprocess
import sys
from pathlib import Path

from scripts import SCRIPTS


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS[Path(script).stem]), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def generate(folder: Path, sentences: int = 40) -> subprocess.CompletedProcess[str]:
    sizes = ("--sentences", sentences, "--dev", 5, "--test", 30)
    return run("generate_demo.py", *sizes, "--seed", 1, "--output-dir", folder)


def test_the_files_are_aligned_and_scored(tmp_path: Path) -> None:
    assert generate(tmp_path).returncode == 0
    for split, size in (("train", 40), ("dev", 5), ("test", 30)):
        english = (tmp_path / "en-de" / f"{split}.en").read_bytes()
        assert english == (tmp_path / "en-fr" / f"{split}.en").read_bytes()
        for path in (f"en-de/{split}.de", f"en-fr/{split}.fr", f"trees/{split}.trees"):
            assert (tmp_path / path).read_bytes().count(b"\n") == english.count(b"\n") == size

    source, reference = (tmp_path / "en-de" / f"test.{side}" for side in ("en", "de"))
    output = tmp_path / "baselines.json"
    files = ("--source", source, "--reference", reference, "--output", output)
    done = run("score_baselines.py", "--pair", "en-de", *files, "--dictionary")
    assert done.returncode == 0, done.stderr
    baselines = json.loads(output.read_text(encoding="utf-8"))["baselines"]
    assert baselines["copy"]["sacrebleu"]["value"] < baselines["dictionary"]["sacrebleu"]["value"]


def test_an_empty_split_is_one_clear_line(tmp_path: Path) -> None:
    done = generate(tmp_path / "out", sentences=0)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "train" in done.stderr
    assert not (tmp_path / "out").exists()


def test_files_of_different_lengths_are_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("One.\nTwo.\n", encoding="utf-8")
    (tmp_path / "a.de").write_text("Eins.\n", encoding="utf-8")
    files = ("--source", tmp_path / "a.en", "--reference", tmp_path / "a.de", "--output", tmp_path / "o.json")
    done = run("score_baselines.py", "--pair", "en-de", *files)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "2 lines" in done.stderr
    assert not (tmp_path / "o.json").exists()
