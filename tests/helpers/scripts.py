"""The path of each script, a module with a ``main()``, by its name, by which tests call it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPTS = {
    path.stem: path
    for path in sorted(ROOT.glob("src/transformer/**/*.py"))
    if '\nif __name__ == "__main__":\n' in path.read_text(encoding="utf-8")
}
# The name by which each is imported.
MODULES = {
    name: ".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for name, path in SCRIPTS.items()
}
