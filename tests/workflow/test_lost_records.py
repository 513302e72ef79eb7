"""Results without the records of how they were made end in one line that restores them."""

from pathlib import Path

import pytest

from lost_records import check_records
from transformer.common.errors import UserError


@pytest.mark.parametrize("missing", ["dvc.lock", "results/demo/runs/base/en-de/training.json", None])
def test_nothing_is_wrong_unless_all_comes_together(tmp_path: Path, missing: str | None) -> None:
    for name in ("dvc.lock", "results/demo/runs/base/en-de/training.json"):
        if name != missing:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
    if missing:
        check_records("demo", tmp_path)
    else:
        with pytest.raises(UserError, match="results/demo exists, but .snakemake/metadata"):
            check_records("demo", tmp_path)
        check_records("small", tmp_path)
        (tmp_path / ".snakemake" / "metadata").mkdir(parents=True)
        (tmp_path / ".snakemake" / "metadata" / "record").touch()
        check_records("demo", tmp_path)
