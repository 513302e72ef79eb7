"""The hash of a rule's code changes with everything that its script runs, and with nothing else."""

import os
import subprocess
from pathlib import Path

import pytest

from transformer.common.code_hash import code_hash, code_of

ROOT = Path(__file__).parents[2]


def write(root: Path, **files: str) -> None:
    """Write modules below ``root/src``; a double underscore in a name separates folders."""
    for name, text in files.items():
        path = root / "src" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_imports_are_followed_in_every_form(tmp_path: Path) -> None:
    write(
        tmp_path,
        script="import os\nimport transformer.a\nfrom transformer.package import b, name\n",
        transformer__a="def f():\n    from transformer.late import x\n",
        transformer__late="",
        transformer__package__b="import torch\n",
        transformer__package__unused="",
        transformer__other="",
    )
    for package in ("transformer", "transformer/package"):
        (tmp_path / "src" / package / "__init__.py").write_text("")
    assert code_of("src/script.py", tmp_path) == [
        "src/script.py",
        "src/transformer/__init__.py",
        "src/transformer/a.py",
        "src/transformer/late.py",
        "src/transformer/package/__init__.py",
        "src/transformer/package/b.py",
    ]


def test_data_files_count_with_the_modules_beside_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        script="import transformer.page.a\n",
        transformer__page__a="",
        transformer__tables__a="",
    )
    for name in (
        "page/page.html",
        "page/words/nouns.tsv",
        "page/sub/__init__.py",
        "page/sub/other.html",
        "tables/b.yaml",
    ):
        path = tmp_path / "src" / "transformer" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    assert [path for path in code_of("src/script.py", tmp_path) if not path.endswith(".py")] == [
        "src/transformer/page/page.html",
        "src/transformer/page/words/nouns.tsv",
    ]


BEFORE = '"""A docstring."""\n\n\ndef f(x):\n    """Return x."""\n    return (x, "text")  # a comment\n'


@pytest.mark.parametrize(
    ("after", "same"),
    [
        ('"""Another."""\ndef f(x):\n    # other words\n    return (\n        x, "text"\n    )\n', True),
        (BEFORE.replace('"text"', '"other text"'), False),
        (BEFORE.replace("def f(x)", "def f(x=None)"), False),
        (BEFORE.replace("return (x, ", "return [x, ").replace('")', '"]'), False),
    ],
    ids=["comments, docstrings and layout", "a message", "a default", "an expression"],
)
def test_what_changes_the_hash(tmp_path: Path, after: str, same: bool) -> None:
    assert (hash_of_module(tmp_path / "before", BEFORE) == hash_of_module(tmp_path / "after", after)) == same


def hash_of_module(root: Path, text: str) -> str:
    """The hash of a script that imports a module with this text."""
    write(root, script="import transformer.a\n", transformer__a=text)
    return code_hash("src/script.py", root)


# Prints the hash of every module of src/.
HASHES = """
import sys
from pathlib import Path
sys.path.insert(0, "src")
from transformer.common.code_hash import code_hash
print(*(f"{path} {code_hash(str(path))}" for path in sorted(Path("src").rglob("*.py"))), sep="\\n")
"""


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_hash_is_the_same_in_every_python(version: str) -> None:
    """A project that another Python runs makes nothing again.  `PYENV_VERSION` chooses among the Pythons of pyenv."""
    python, environment = f"python{version}", os.environ | {"PYENV_VERSION": version}
    if subprocess.run(["bash", "-c", f"{python} --version"], env=environment, capture_output=True).returncode:
        pytest.skip(f"no Python {version} on this machine")
    run = subprocess.run([python, "-c", HASHES], cwd=ROOT, env=environment, capture_output=True, text=True)
    hashes = dict(line.split() for line in run.stdout.splitlines())
    assert hashes == {path: code_hash(path, ROOT) for path in hashes}
    assert len(hashes) > 100


def test_a_file_that_is_being_edited_does_not_stop_the_others(tmp_path: Path) -> None:
    assert hash_of_module(tmp_path / "a", "def f(:\n") != hash_of_module(tmp_path / "b", "def g(:\n")
