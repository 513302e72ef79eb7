"""generate_demo.py and score_baselines.py: what they write, and one line where they cannot."""

import json
from pathlib import Path

from tiny import run_captured as run


def test_the_files_are_aligned_and_scored(tmp_path: Path) -> None:
    sizes = ("--sentences", 40, "--dev", 5, "--test", 30)
    assert run("generate_demo", *sizes, "--seed", 1, "--output-dir", tmp_path).returncode == 0
    for split, size in (("train", 40), ("dev", 5), ("test", 30)):
        english = (tmp_path / "en-de" / f"{split}.en").read_bytes()
        assert english == (tmp_path / "en-fr" / f"{split}.en").read_bytes()
        for path in (f"en-de/{split}.de", f"en-fr/{split}.fr", f"trees/{split}.trees"):
            assert (tmp_path / path).read_bytes().count(b"\n") == english.count(b"\n") == size

    output = tmp_path / "baselines.json"
    files = ["--source", tmp_path / "en-de/test.en", "--reference", tmp_path / "en-de/test.de"]
    done = run("score_baselines", "--pair", "en-de", *files, "--dictionary", "--output", output)
    assert done.returncode == 0, done.stderr
    baselines = json.loads(output.read_text(encoding="utf-8"))["baselines"]
    assert baselines["copy"]["sacrebleu"]["value"] < baselines["dictionary"]["sacrebleu"]["value"]
    refused = run("score_baselines", "--pair", "en-cs", *files, "--dictionary", "--output", output)
    assert "--dictionary: cs is none of the demo's languages, de and fr" in refused.stderr
