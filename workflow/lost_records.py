"""Detect results that lack Snakemake's records of how they were made, as after an incomplete DVC checkout."""

from pathlib import Path

from transformer.common.errors import UserError


def check_records(scale: str, root: Path | str = ".") -> None:
    """Raise UserError if DVC has versioned results of ``scale``, but Snakemake's records of them are missing.

    Without its records, Snakemake regards files as up to date whatever the settings are, and DVC would record old
    results as those of new settings.
    """
    root = Path(root)
    versioned = (root / "dvc.lock").exists()
    made = any(root.glob(f"results/{scale}/runs/*/*/training.json"))
    if versioned and made and not any(root.glob(".snakemake/metadata/*")):
        raise UserError(
            f"results/{scale} exists, but .snakemake/metadata, which records how it was made, does not; get it with: "
            "dvc checkout --force .snakemake/metadata"
        )
