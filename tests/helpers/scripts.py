"""The path of each script, by its name, by which tests call it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
# Folders with an __init__.py are packages; the others hold scripts.
SCRIPTS = {
    path.stem: path for path in sorted(ROOT.glob("src/*/*.py")) if not (path.parent / "__init__.py").exists()
}
