"""generate_demo.py: what it writes."""

from pathlib import Path

from tiny import run_captured as run


def test_the_files_are_aligned(tmp_path: Path) -> None:
    sizes = ("--sentences", 40, "--dev", 5, "--test", 30)
    assert run("generate_demo", *sizes, "--seed", 1, "--output-dir", tmp_path).returncode == 0
    for split, size in (("train", 40), ("dev", 5), ("test", 30)):
        english = (tmp_path / "en-de" / f"{split}.en").read_bytes()
        assert english == (tmp_path / "en-fr" / f"{split}.en").read_bytes()
        for path in (f"en-de/{split}.de", f"en-fr/{split}.fr", f"trees/{split}.trees"):
            assert (tmp_path / path).read_bytes().count(b"\n") == english.count(b"\n") == size
