"""The packages of the library: each imports only those in its row, and only the libraries in its row."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
LIBRARY = SOURCE / "transformer"

# package: (packages of the library that it may import besides itself, libraries besides Python's own)
PACKAGES = {
    "common": ("", "pydantic pydantic_core regex yaml"),
    "dataset": ("common", "numpy torch"),
    "corpus": ("common", "demo_grammar pydantic pydantic_core requests"),
    "settings": ("common corpus", "pydantic pydantic_core"),
    "model": ("common settings", "numpy safetensors torch"),
    "subwords": ("common corpus dataset", "numpy sentencepiece tokenizers"),
    "decoding": ("common corpus dataset model settings subwords", "torch"),
    "scoring": ("common corpus", "numpy regex sacrebleu sacremoses scipy"),
    "parsing": ("common corpus subwords decoding scoring", "nltk numpy pandas torch"),
    "training": (
        "common dataset decoding model parsing scoring settings subwords",
        "numpy sacrebleu torch",
    ),
    "inspection": ("common decoding settings subwords model", "numpy torch"),
    "run_folder": ("common settings decoding parsing inspection", ""),
    "export": ("common corpus model decoding settings subwords", "sentencepiece tokenizers torch"),
    "planning": ("common model settings", "tabulate"),
    "tables": ("common corpus scoring", "numpy pandas pydantic"),
    "verification": (
        "common model dataset scoring settings subwords training tables",
        "numpy pandas torch",
    ),
    "figures": ("common model parsing training", "matplotlib nltk numpy"),
    "page": ("common export model settings subwords tables verification", "jinja2 numpy safetensors"),
    "report": ("common model page settings tables verification", "pandas"),
    "workflow": ("common corpus model planning settings tables verification", "snakemake"),
}


def modules(package: str) -> list[Path]:
    return [*sorted((LIBRARY / package).rglob("*.py")), *LIBRARY.glob(f"{package}.py")]


def imports(path: Path) -> Iterator[str]:
    """Every dotted name that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module
            # In `from transformer import model` the package is named last.
            own = node.module == "transformer"
            yield from (f"transformer.{alias.name}" for alias in node.names) if own else [node.module]


def test_every_package_is_in_the_table() -> None:
    found = {path.stem for path in LIBRARY.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert found - {"__init__", "__pycache__"} == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_what_its_row_says(package: str) -> None:
    packages, libraries = (set(names.split()) for names in PACKAGES[package])
    used: set[str] = set()
    used_packages: set[str] = set()
    for path in modules(package):
        for name in imports(path):
            first, _, rest = name.partition(".")
            if first == "transformer":
                other = rest.split(".")[0]
                assert other in packages | {package}, f"{path.relative_to(SOURCE)} imports {name}"
                used_packages.add(other)
            elif first not in sys.stdlib_module_names:
                assert first in libraries, f"{path.relative_to(SOURCE)} imports {name}"
                used.add(first)
    # The table allows no more than is used.
    assert used == libraries
    assert used_packages - {package} == packages


def test_packages_import_only_those_above_them() -> None:
    above: set[str] = set()
    for package, (packages, _) in PACKAGES.items():
        assert set(packages.split()) <= above, package
        above.add(package)


def test_the_demo_grammar_does_not_know_the_library() -> None:
    for path in (SOURCE / "demo_grammar").rglob("*.py"):
        assert {name.partition(".")[0] for name in imports(path)} <= {
            "demo_grammar",
            "nltk",
            *sys.stdlib_module_names,
        }


def test_the_logger_knows_snakemake_only() -> None:
    """It is loaded whenever Snakemake reads its command line, so it must be light."""
    own = "snakemake_logger_plugin_attention"
    allowed = {own, "rich", "snakemake", "snakemake_interface_logger_plugins", *sys.stdlib_module_names}
    for path in (SOURCE / own).rglob("*.py"):
        assert {name.partition(".")[0] for name in imports(path)} <= allowed


def test_no_two_files_share_a_name() -> None:
    names = [path.stem for path in SOURCE.rglob("*.py") if path.stem != "__init__"]
    assert [name for name in names if names.count(name) > 1] == []


def test_no_file_of_code_is_longer_than_400_lines() -> None:
    root = SOURCE.parent
    code = [*SOURCE.rglob("*.py"), *root.glob("workflow/**/*.py"), *root.glob("workflow/**/*.smk")]
    assert [path for path in code if path.read_text(encoding="utf-8").count("\n") > 400] == []


def test_nothing_can_run_code_from_a_file() -> None:
    for path in SOURCE.rglob("*.py"):
        assert not {"pickle", "marshal", "shelve", "dill", "joblib"} & set(imports(path)), path
        assert "torch.load(" not in path.read_text(encoding="utf-8"), path
        assert "torch.save(" not in path.read_text(encoding="utf-8"), path
