"""Results without Snakemake's records of how they were made: what a half restored DVC checkout looks like."""

from pathlib import Path

from transformer.common.errors import UserError


def check_records(scale: str, root: Path | str = ".") -> None:
    """Raise UserError where results of ``scale`` are there, DVC has versioned them, and Snakemake's records are gone.

    Without its records Snakemake takes files for up to date whatever the settings say; DVC would then record old
    results as those of new settings.
    """
    root = Path(root)
    versioned = (root / "dvc.lock").exists()
    made = any(root.glob(f"results/{scale}/runs/*/*/training.json"))
    if versioned and made and not any(root.glob(".snakemake/metadata/*")):
        raise UserError(
            f"results/{scale} is there, but .snakemake/metadata, which says how it was made, is not; get it with: "
            "dvc checkout --force .snakemake/metadata"
        )
