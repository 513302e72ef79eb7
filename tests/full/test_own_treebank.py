"""The user's own treebank and silver trees: another file under the same name is read again, a moved one is not."""

import os
from pathlib import Path

import pytest
from micro_project import EVERYTHING, copy_project, snakemake

TREE = "(TOP (NP (DT the) (NN dog)))\n"


@pytest.mark.parametrize(
    ("scale", "key", "name", "made"),
    [
        ("paper", "treebank", "22.mrg", "clean/trees/dev.trees"),
        ("micro", "silver_trees", "", "silver/silver.trees"),
    ],
)
def test_an_edit_that_keeps_the_size_is_noticed(
    tmp_path: Path, scale: str, key: str, name: str, made: str
) -> None:
    project = copy_project(tmp_path / "project")
    mine, moved, output = (project / path for path in ("mine", "moved", f"data/{scale}/{made}"))

    def make(place: Path) -> str:
        target = str(output.relative_to(project))
        config = [f"{key}={place.name}"]
        run = snakemake(project, scale=scale, config=[*config, "--", target], command=EVERYTHING)
        assert run.returncode == 0, run.stderr
        return output.read_text()

    file = mine / name if name else mine
    file.parent.mkdir(exist_ok=True)
    file.write_text(TREE)
    os.utime(file, (0, 0))
    assert "(NN dog)" in make(mine)
    before = output.stat().st_mtime_ns
    mine.rename(moved)
    make(moved)
    assert output.stat().st_mtime_ns == before
    moved.rename(mine)
    file.write_text(TREE.replace("NN", "VB"))
    assert "(VB dog)" in make(mine)
