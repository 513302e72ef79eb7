"""The results of a scale as a folder for other people to read: tables, numbers, figures, and how they were made."""

import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from transformer.common.durability import atomic_folder
from transformer.common.errors import UserError
from transformer.common.files import write_text
from transformer.common.json_artifacts import read_artifact
from transformer.common.yaml_files import read_yaml
from transformer.report.index import index
from transformer.tables.provenance import describe_commit
from transformer.tables.runs import AVERAGED, LAST, PARSES, read_runs
from transformer.tables.scores import scores_of, scores_of_baselines

TABLE_FORMATS = (".md", ".csv", ".tex")
# Figures with sentences of the corpus: one, and all whose names begin like this, but for one.
PARSE_TREE = "parse_tree"
ATTENTION = "attention_"
NO_SENTENCES = {"attention_block"}

# What workflow/report/contents.yaml does not describe.
CAPTIONS = {
    "cost": "Training cost of Table 2, by the paper's formula and counted.",
    "trainings": "Every training: its steps, hours, speed and machine.",
    "test_sets": "BLEU on further test sets.",
}
TRAININGS = Path("training", "trainings.csv")  # which marks a folder as a publication
PROVENANCE = "The files, settings and versions behind each number of"
COURSE = "The course of a training: losses, learning rate and speed by step."


def publish(
    results: Path,
    output: Path,
    contents: Path,
    facts: Mapping[str, str],
    generated: bool,
    free_sentences: Collection[str],
) -> None:
    """Copy what may be published from ``results`` (one scale's folder) to ``output``, and write ``README.md`` there.

    Figures with sentences are copied if the corpus is ``generated`` or, for those of attention, if their sentences are
    among ``free_sentences``.  Raises UserError when no table has been made, or when ``output`` has other files than an
    earlier publication, because everything in it is replaced.
    """
    if output.exists() and any(output.iterdir()) and not (output / TRAININGS).exists():
        raise UserError(
            f"{output}: this folder has other files, which would be lost; name a new or an empty folder"
        )
    tables = sorted(path for path in results.glob("tables/*") if path.suffix in TABLE_FORMATS)
    folders = sorted(path.parent for path in results.glob("runs/*/*/timing.json"))
    if not tables or not folders:
        raise UserError(f"{results}: there is no table to publish; make one first, e.g. results/table2.tex")
    figures = sorted(results.glob("figures/*.svg"))
    if not generated:
        figures = _without_corpus(figures, free_sentences)
    trainings = _trainings(folders)
    about = {
        "trainings": f"{len(trainings)}, {trainings['hours'].sum():.1f} hours in all",
        "machines": "; ".join(sorted(set(trainings["machine"]))),
        "commit": describe_commit(),
    }
    with atomic_folder(output) as new:
        files = [_copy(path, new / path.name) for path in tables]
        provenance = _copy_provenance(results, tables, new)
        files += provenance
        files += [_copy(path, new / "figures" / path.name) for path in figures]
        for folder in folders:
            name = f"{folder.parent.name}.{folder.name}.jsonl"
            files.append(_copy(folder / "metrics.jsonl", new / "training" / name))
        files.append(_write(trainings, new / TRAININGS))
        files.append(_write(_scores(results, folders), new / "scores.csv"))
        own = {path.stem: COURSE for path in files if path.suffix == ".jsonl"}
        own |= {path.stem: f"{PROVENANCE} {table}.csv." for path, table in provenance.items()}
        captions = {**read_yaml(contents), "publication": CAPTIONS | own}
        write_text(new / "README.md", index({**facts, **about}, files, new, captions))


def _copy_provenance(results: Path, tables: Sequence[Path], output: Path) -> dict[Path, str]:
    """Copy the provenance of each table that is published; return the copies, with the names of their tables."""
    copies = {}
    for table in sorted({path.stem for path in tables}):
        # That of Table 2 is provenance.json; cost.csv and cost.md show its numbers.
        path = results / ("provenance.json" if table == "table2" else f"provenance/{table}.json")
        if path.exists():
            name = path.name if table == "table2" else f"provenance.{table}.json"
            copies[_copy(path, output / name)] = table
    return copies


def _without_corpus(figures: Sequence[Path], free_sentences: Collection[str]) -> list[Path]:
    """Return the figures that show no sentence at all, or only those that may be shown."""
    attention = [f for f in figures if f.stem.startswith(ATTENTION) and f.stem not in NO_SENTENCES]
    hidden = {figure for figure in figures if figure.stem == PARSE_TREE}
    if attention:
        shown = read_artifact(attention[0].parent / "attention.json", "attention")["sentences"].values()
        if not {sentence["source"] for sentence in shown} <= set(free_sentences):
            hidden.update(attention)
    return [figure for figure in figures if figure not in hidden]


def _trainings(folders: Sequence[Path]) -> pd.DataFrame:
    """Return a row for each training: how long it was, in steps and hours, and on which machine."""
    rows = []
    for folder in folders:
        training, timing = (read_artifact(folder / f"{kind}.json", kind) for kind in ("training", "timing"))
        machine = f"{timing['devices']} × {timing['device_name']}, {timing['threads']} thread, {timing['precision']}"
        rows.append(
            {
                "run": folder.parent.name,
                "pair": folder.name,
                "steps": training["steps"],
                "hours": round(timing["wall_seconds"] / 3600, 2),
                "tokens_per_second": timing["tokens_per_second"],
                "machine": f"{machine}, {timing['hardware']}",
            }
        )
    return pd.DataFrame(rows)


def _scores(results: Path, folders: Sequence[Path]) -> pd.DataFrame:
    """Return every figure of the runs that have been scored (docs/formats.md).  Raises UserError without any."""
    runs = [
        run
        for files in (AVERAGED, LAST, PARSES)
        for run in read_runs(
            [path for path in folders if all((path / file).exists() for file in files.values())], files
        )
    ]
    if not runs:
        raise UserError(
            f"{results}: no run has been scored; make a table of scores first, e.g. results/table2.tex"
        )
    baselines = sorted(results.glob("baselines/*.json"))
    frames = [scores_of(runs), scores_of_baselines(baselines, runs[0].scale, runs[0].corpus)]
    return pd.concat(frames, ignore_index=True).drop_duplicates()


def _copy(path: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(path, target))


def _write(frame: pd.DataFrame, target: Path) -> Path:
    write_text(target, frame.to_csv(index=False, lineterminator="\n"))
    return target
