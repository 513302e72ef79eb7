"""No script writes over what it reads, and it says so before it has done any work."""

import argparse
import contextlib
import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny

from transformer.common import arguments
from transformer.common.arguments import Output, check_outputs
from transformer.common.errors import UserError
from transformer.common.project import local_path

ROOT = Path(__file__).parents[2]
# Programs with a parser of this project, and what they write without an argument of type Output: into folders in which
# they also read, names of their own.
SCRIPTS = [
    path
    for path in sorted((ROOT / "src/transformer").glob("*/*.py"))
    if "argument_parser(__doc__" in path.read_text(encoding="utf-8")
]
BESIDE = {
    "train": {"output"},
    "make_table": {"output_dir"},
    "plot": {"output_dir"},
    "resolve_run": {"output"},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("text", "other", "model/model.json", "results/a/b.json", "corpus.tgz"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("[1]\n")
    Path("link").symlink_to("text")
    return tmp_path


@pytest.mark.parametrize(
    ("inputs", "outputs", "is_refused"),
    [
        (["text"], ["other"], False),
        (["text"], ["new"], False),
        (["text"], ["./model/../text"], True),
        (["text"], ["link"], True),
        (["corpus.tgz/v7/train.de"], ["corpus.tgz"], True),
        ([], ["new", "./new"], True),
        ([], ["/dev/null", "/dev/null"], False),
        (["/dev/null"], ["/dev/null"], False),
        (["model"], ["model/model.json"], True),
        (["model"], ["model/new"], False),
        (["model"], ["model"], True),
        (["results/a/b.json"], ["results"], False),
        (["results"], ["results/a"], False),
        ([], [str(ROOT / "config/demo.yaml")], True),
        ([], [str(ROOT / "config/new.yaml")], False),
    ],
)
def test_what_is_read_is_not_written(
    folder: Path, inputs: list[str], outputs: list[str], is_refused: bool
) -> None:
    refused = pytest.raises(UserError, match="so it would be lost|writes two files there")
    with refused if is_refused else contextlib.nullcontext():
        check_outputs([*map(Path, inputs)], [*map(Path, outputs)])


def test_standard_input_is_read(folder: Path) -> None:
    code = "from pathlib import Path; from transformer.common.arguments import check_outputs; "
    code += "check_outputs([], [Path('link')])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with open("text") as given:
        run = subprocess.run(
            [sys.executable, "-c", code], stdin=given, capture_output=True, text=True, env=environment
        )
    assert "UserError: link: this command reads /dev/stdin" in run.stderr


def words(action: argparse.Action, value: str) -> list[str]:
    """An argument on a command line: the value, or what the type of the argument takes."""
    takes: Callable[[str], object] = action.type if callable(action.type) else str
    for text in (value, "1", "en-de", "{}"):
        with contextlib.suppress(ValueError, argparse.ArgumentTypeError):
            takes(text)
            value = text
            break
    one = next(iter(action.choices)) if action.choices else value
    return [*action.option_strings[:1], *[one] * (action.nargs if isinstance(action.nargs, int) else 1)]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_each_script_refuses_each_of_its_inputs_as_each_output_before_it_reads_anything(
    path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = importlib.import_module(f"transformer.{path.parent.name}.{path.stem}").main
    actions: list[argparse.Action] = []

    def stop(parser: arguments.Parser, *_: object) -> None:
        actions.extend(action for action in parser._actions if action.dest != "help")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(arguments.Parser, "parse_args", stop)
        with pytest.raises(KeyboardInterrupt):
            main()
    written = [action for action in actions if action.type is Output]
    read = [action for action in actions if action.type in (Path, local_path)]
    assert {
        action.dest for action in actions if action.dest.startswith("output") and action not in written
    } == (BESIDE.get(path.stem, set()))
    for output in written:
        for given in read:
            command = [*words(given, "text"), *words(output, "link")]
            for other in actions:
                if (other.required or not other.option_strings) and other not in (given, output):
                    command += words(other, f"no-{other.dest}")
            monkeypatch.setattr(sys, "argv", ["script", *command])
            with pytest.raises(UserError, match="this command reads text, so it would be lost"):
                main()


def test_a_list_of_translations_is_an_output_too(folder: Path) -> None:
    Path("text.nbest").write_text("A dog runs.\n")
    options = "--model model --subwords other --input text.nbest --output text --nbest 4".split()
    assert "text.nbest: this command reads text.nbest" in tiny.error("translate", *options)
    assert Path("text.nbest").read_text() == "A dog runs.\n"
