"""The rooms of the library: each knows only those in its row, and only the packages in its row."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
LIBRARY = SOURCE / "transformer"

# room: (rooms that it may know besides itself, packages that it may import besides Python's own)
ROOMS = {
    "errors": ("", ""),
    "files": ("errors", ""),
    "progress": ("", "tqdm"),
    "settings": ("errors", "jsonschema referencing yaml"),
    "parallel": ("errors", ""),
    "corpus": ("errors files parallel progress", "jsonschema numpy pooch requests urllib3 yaml"),
    "subwords": ("errors files", "sentencepiece tokenizers"),
    "vocabularies": ("errors files subwords corpus", ""),
    "lines": ("errors files parallel progress", ""),
    "binary": ("errors files", "numpy"),
    "batching": ("", "numpy"),
    "model": ("errors files", "safetensors torch"),
    "training": ("errors files progress binary batching model", "torch"),
    "decoding": ("errors batching model", "numpy torch"),
    "parsing": ("corpus decoding model vocabularies", "torch"),
    "inspection": ("errors model subwords", "torch"),
    "figures": ("files", "matplotlib numpy"),
    "scoring": ("errors corpus", "numpy sacrebleu sacremoses"),
    "planning": ("model", "tabulate"),
    "measuring": ("model", "numpy torch"),
    "tables": ("errors files", "jsonschema tabulate yaml"),
    "report": ("errors files tables", "markdown_it tabulate"),
}


def modules(room: str) -> list[Path]:
    return sorted((LIBRARY / room).rglob("*.py")) or [LIBRARY / f"{room}.py"]


def imports(path: Path) -> Iterator[str]:
    """Every dotted name that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module
            # `from transformer import files` names the room last.
            own = node.module == "transformer"
            yield from (f"transformer.{alias.name}" for alias in node.names) if own else [node.module]


def test_every_room_is_in_the_table() -> None:
    found = {path.stem for path in LIBRARY.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert found - {"__init__", "__pycache__"} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_knows_what_its_row_says(room: str) -> None:
    rooms, packages = (set(names.split()) for names in ROOMS[room])
    used: set[str] = set()
    for path in modules(room):
        for name in imports(path):
            first, _, rest = name.partition(".")
            if first == "transformer":
                known = rest.split(".")[0]
                assert known in rooms | {room}, f"{path.relative_to(SOURCE)} imports {name}"
            elif first not in sys.stdlib_module_names:
                assert first in packages, f"{path.relative_to(SOURCE)} imports {name}"
                used.add(first)
    assert used == packages  # the table promises no more than is so


def test_no_room_knows_one_that_knows_it() -> None:
    left = {room: set(rooms.split()) for room, (rooms, _) in ROOMS.items()}
    while left:
        free = {room for room, rooms in left.items() if not rooms & left.keys()}
        assert free, f"a circle among {sorted(left)}"
        left = {room: rooms for room, rooms in left.items() if room not in free}


def test_nothing_imports_a_script() -> None:
    scripts = {path.stem for path in SOURCE.glob("*.py")}
    assert scripts
    for path in SOURCE.rglob("*.py"):
        assert not scripts & {name.partition(".")[0] for name in imports(path)}, path


def test_nothing_can_run_code_from_a_file() -> None:
    for path in SOURCE.rglob("*.py"):
        assert not {"pickle", "marshal", "shelve", "dill", "joblib"} & set(imports(path)), path
        assert "torch.load(" not in path.read_text(encoding="utf-8"), path
        assert "torch.save(" not in path.read_text(encoding="utf-8"), path
