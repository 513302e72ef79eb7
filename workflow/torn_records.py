"""Find Snakemake's records that a power cut left empty or cut off, and have the jobs run again that they belong to.

Snakemake ignores such a record.  Without it, it regards an output as up to date whatever the settings are, and does not
compare its inputs.  So the output is marked as incomplete instead, and profiles/default says what happens then.
"""

from pathlib import Path


def mark_torn_records(folder: Path | str = ".snakemake") -> None:
    """Replace each record in ``folder`` that is not whole by Snakemake's mark of an incomplete output.

    No Snakemake may be running: one writes its records in place.
    """
    folder = Path(folder)
    for record in (folder / "metadata").rglob("*"):
        if record.is_file() and not _is_whole(record):
            mark = folder / "incomplete" / record.relative_to(folder / "metadata")
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text('{"external_jobid": null}')
            record.unlink()


def _is_whole(record: Path) -> bool:
    content = record.read_bytes()
    return content.startswith(b"{") and content.endswith(b"}")
