"""What a rule declares as its code: all that the script runs, and nothing else."""

from pathlib import Path

from imports import code_of


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / "src" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_imports_are_followed_in_every_form(tmp_path: Path) -> None:
    write(
        tmp_path,
        script="import os\nimport transformer.a\nfrom transformer.room import b, name\n",
        transformer__a="def f():\n    from transformer.late import x\n",
        transformer__late="",
        transformer__room__b="import torch\n",
        transformer__room__unused="",
        transformer__other="",
    )
    for package in ("transformer", "transformer/room"):
        (tmp_path / "src" / package / "__init__.py").write_text("")
    assert code_of("src/script.py", tmp_path) == [
        "src/script.py",
        "src/transformer/__init__.py",
        "src/transformer/a.py",
        "src/transformer/late.py",
        "src/transformer/room/__init__.py",
        "src/transformer/room/b.py",
    ]


def test_a_cycle_ends(tmp_path: Path) -> None:
    write(
        tmp_path,
        script="import transformer.a",
        transformer__a="import transformer.b",
        transformer__b="import transformer.a",
    )
    assert len(code_of("src/script.py", tmp_path)) == 3


def test_training_knows_the_model_and_not_the_tables() -> None:
    root = Path(__file__).parents[2]
    train, table = code_of("src/training/train.py", root), code_of("src/tables/make_table.py", root)
    assert "src/transformer/model/transformer.py" in train
    assert not any("tables/" in path for path in train)
    assert not any("model/" in path or "training/" in path for path in table)
