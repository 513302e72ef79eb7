"""Copy the results of a scale to a folder that can be published, with a page that says how they were made.

    python src/transformer/report/publish_results.py --scale small --output docs/results/small

The folder gets a page that shows everything (``index.html``), the tables that were made (``table2.json`` has the files,
settings and versions behind each number), every number (``scores.csv``), the files with numbers that tables and claims
read (of each run its settings, scores, and counts of each sentence, in ``runs/``, see packed_runs.py), the course of
each training, the figures, README.md with the tables and where they are from, the sha256 of all these files
(``SHA256SUMS``), and if the results are portable that of every file of a rebuild (``manifest.csv``).  What shows
sentences of the corpus is left out, unless the project generated them or they are the paper's: the licence of a corpus
need not allow copies.  No page has weights.
"""

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import read_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.files import sha256_of, write_text
from transformer.common.folders import atomic_folder
from transformer.common.notes import say
from transformer.common.project import PROJECT
from transformer.common.yaml_files import read_yaml
from transformer.model.trained_by import machine_of, notes_on_trainings, stretches_of
from transformer.page.make_page import page, read_tables
from transformer.report.packed_runs import pack
from transformer.settings.run_names import name_and_seed
from transformer.settings.settings import load_settings
from transformer.tables.cells import Table
from transformer.tables.commit import describe_commit
from transformer.tables.entries import ENTRIES
from transformer.tables.render import markdown
from transformer.tables.runs import AVERAGED, LAST, PARSES, read_runs
from transformer.tables.scores import scores_of
from transformer.tables.sentence_counts import sentence_file
from transformer.verification.published import manifest, manifest_csv, read_manifest

CONTENTS = PROJECT / "workflow" / "report" / "contents.yaml"
# What CONTENTS does not describe.
CAPTIONS = {
    "scores": "Everything that was measured, one row per number; docs/formats.md explains the columns.",
    "trainings": "Every training: its steps, hours, speed and machine.",
    "manifest": "The sha256 of every file; a rebuild on any machine has the same (docs/protocol.md).",
}
ABOUT = (
    "Our numbers hold for this scale and its corpus only. [index.html](index.html) shows everything; open it in a "
    "browser. `runs/` has what the tables and the claims are computed from: the settings and scores of each run, and "
    "its counts of each sentence (docs/formats.md). `sha256sum --check SHA256SUMS` checks the files. The commit is "
    "that of the code which wrote this page; a file that no later change affected may come from an earlier commit."
)
# The files that tell whether a table is of the present results, those of no run too; the weights are large, and
# timing.json has a time.
BEHIND = ("", "config", "training", "scores", "parses", "unconstrained", "perplexity")
# The tables of the paper, which the page shows in full, after the verdict on its claims.
SHOWN = ("table2", "table3", "table4")
TABLE_FORMATS = (".md", ".csv", ".tex", ".json")
COURSE = "The course of a training: losses, learning rate and speed by step."
RECORD = "this is the published record"


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--scale", required=True, help="a file of config/; its results are in results/SCALE")
    parser.add_argument("--output", type=Output, required=True, help="the folder to write, or to write anew")
    arguments = parser.parse_args()
    settings, paper = (load_settings({"scale": scale, "seed": 1}) for scale in (arguments.scale, "paper"))
    publish(
        arguments.scale,
        arguments.output,
        corpus=settings.corpus,
        generated=settings.grammar is not None,
        free_sentences={figure["sentence"] for figure in (paper.attention or {}).values()},
    )


def publish(
    scale: str, output: Path, corpus: str, generated: bool, free_sentences: Collection[str] = ()
) -> None:
    """Copy what may be published of a scale, on this ``corpus``, to ``output``, and write ``README.md`` there.

    Figures with sentences are copied if the corpus is ``generated`` or, for those of attention, if their sentences are
    among ``free_sentences``.  Raises UserError when no table has been made, when one is of earlier results, and as
    :func:`atomic_folder` does when ``output`` has files that would be lost.
    """
    results = Path("results", scale)
    tables = _current_tables(results)
    folders = sorted(path.parent for path in results.glob("runs/*/*/timing.json"))
    if not tables or not folders:
        raise UserError(f"{results}: there is no table to publish; make one first, e.g. results/table2.tex")
    trainings, scores = pd.DataFrame(map(_training, folders)), _scores(results, folders)
    _note_unshown(folders, tables.values())
    shown = {path.name: path for path in sorted(results.glob("tables/*")) if path.suffix in TABLE_FORMATS}
    figures = sorted(results.glob("figures/*.svg"))
    shown |= {f"figures/{path.name}": path for path in figures if generated or _is_free(path, free_sentences)}
    # With several seeds, the courses of the first are enough.
    first = {(name_and_seed(folder.parent.name, 0)[0], folder.name): folder for folder in reversed(folders)}
    for folder in sorted(first.values()):
        shown[f"training/{folder.parent.name}.{folder.name}.jsonl"] = folder / "metrics.jsonl"
    texts = {"training/trainings.csv": _csv(trainings), "scores.csv": _csv(scores)}
    if set(trainings["numerics"]) == {"portable"}:
        texts["manifest.csv"] = _manifest(scale)
    about = {
        "scale": f"`{scale}`",
        "corpus": corpus,
        "seeds": ", ".join(map(str, sorted(scores["seed"].dropna().unique()))),
        "trainings": f"{len(trainings)}, {trainings['hours'].sum():.1f} hours in all",
        "machines": "; ".join(sorted(set(trainings["machine"]))),
        "commit": describe_commit(),
    }
    if notes := " ".join(notes_on_trainings(folders)):
        about["code"] = notes
    of_page = {"scale": scale, "commit": about["commit"], "record": RECORD, "trainings": notes}
    numbers = _numbers(scale, folders, tables.values())
    of_runs = {name for name in numbers if name.startswith("runs/")}
    with atomic_folder(output) as new:
        for name, path in (shown | numbers).items():
            if name not in of_runs:
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, new / name)
        for name, text in texts.items():
            write_text(new / name, text)
        pack({name.removeprefix("runs/"): numbers[name] for name in of_runs}, new / "runs")
        write_text(new / "README.md", index(about, [*shown, *texts], new))
        write_text(new / "index.html", page_of(new, of_page))


def _current_tables(results: Path) -> dict[str, Table]:
    """Return the tables of a scale by their names.  Raises UserError when one is damaged, or of earlier results."""
    tables = read_tables(path for path in sorted(results.glob("tables/*.json")) if path.stem in ENTRIES)
    for name, table in tables.items():
        for kind, file in table.files_behind():
            path = Path(file["path"])
            if kind in BEHIND and path.is_file() and sha256_of(path) != file["sha256"]:
                raise UserError(
                    f"{results}/tables/{name}.json: an earlier run's, of another {path}; make it again"
                )
    return tables


def _note_unshown(folders: Sequence[Path], tables: Iterable[Table]) -> None:
    """Name the trainings that are published, and that none of the tables shows."""
    shown = {run for table in tables for run in table.behind["runs"]}
    if others := [name for folder in folders if (name := f"{folder.parent.name}/{folder.name}") not in shown]:
        listed = ", ".join(others)
        say(f"no table shows {len(others)} of the {len(folders)} trainings that are published: {listed}")


def _manifest(scale: str) -> str:
    """Return the sums of all files of a scale, and say which of those published before are not here."""
    here = manifest(scale)
    if gone := (read_manifest(scale) or {}).keys() - here.keys():
        say(f"{len(gone)} files of the manifest published before are not here, first {min(gone)}")
    return manifest_csv(here)


def page_of(folder: Path, facts: Mapping[str, str]) -> str:
    """Return the page of what is published in a folder, which shows the figures that lie there."""
    tables = read_tables(path for path in sorted(folder.glob("*.json")) if path.stem in ENTRIES)
    figures = {path: f"figures/{path.name}" for path in sorted(folder.glob("figures/*.svg"))}
    return page(tables, figures, facts)


def index(facts: Mapping[str, str], files: Sequence[str], folder: Path) -> str:
    """Return the page as Markdown: the verdict and the tables, the ``facts``, and each of ``files`` with its caption.

    The names of the files are relative to ``folder``, which contains the page.
    """
    captions = CAPTIONS | read_yaml(CONTENTS)["figures"] | {name: of.caption for name, of in ENTRIES.items()}
    captions |= {Path(name).stem: COURSE for name in files if fnmatch(name, "training/*.jsonl")}
    if unknown := [name for name in files if Path(name).stem not in captions]:
        raise UserError(f"{unknown[0]}: nothing makes this any more; delete it from the results of the scale")
    texts = pd.Series([captions[Path(name).stem] for name in files])
    listed = {
        "file": [f"[{name}]({name})" for name in files],
        "what it is": texts.mask(texts == texts.shift(), "the same"),
    }
    return markdown(
        [
            f"# Results of {facts['scale']}",
            *_results(folder),
            "## What they are of",
            pd.DataFrame(facts.items(), columns=["", " "]),
            ABOUT,
            "## Files",
            pd.DataFrame(listed),
        ]
    )


def _results(folder: Path) -> list[str]:
    """Return the verdict on the paper's claims, if they were tested, and the tables, one heading lower."""
    claims = folder / "claims.json"
    verdict = []
    if claims.exists():
        caption = read_artifact(claims, "table")["caption"]
        verdict = [f"{caption} [Claim by claim](claims.md)."]
    tables = [folder / f"{name}.md" for name in SHOWN]
    return [*verdict, *(f"#{path.read_text(encoding='utf-8').strip()}" for path in tables if path.exists())]


def _is_free(figure: Path, free_sentences: Collection[str]) -> bool:
    """Return whether a figure shows no sentence of a corpus: none at all, or only some of ``free_sentences``."""
    if not figure.stem.startswith("attention_") or figure.stem == "attention_block":
        return figure.stem != "parse_tree"
    shown = read_artifact(figure.with_name("attention.json"), "attention")["sentences"].values()
    return {sentence["source"] for sentence in shown} <= set(free_sentences)


def _numbers(scale: str, folders: Sequence[Path], tables: Iterable[Table]) -> dict[str, Path]:
    """Return the files with numbers that tables cite or that they and the claims can read, by their new paths.

    These are files of runs, ``folders``, and what else lies in the scale's folders: ``layers.json`` and the notes on
    its text.  Neither weights nor texts are among them.
    """
    names = sorted({"timing.json", *AVERAGED.values(), *LAST.values(), *PARSES.values()})
    files = [
        path for folder in folders for name in names for path in (folder / name, sentence_file(folder / name))
    ]
    files += [Path(cited["path"]) for table in tables for _, cited in table.files_behind()]
    # The tables lie beside the page.
    return {
        path.relative_to(place).as_posix().removeprefix("tables/"): path
        for place in (Path("results", scale), Path("data", scale))
        for path in files
        if path.suffix in (".json", ".csv") and path.is_relative_to(place) and path.exists()
    }


def _training(folder: Path) -> dict[str, Any]:
    """Return the row of a training: how long it was, in steps and hours, and on which machine."""
    training, timing = (read_artifact(folder / f"{kind}.json", kind) for kind in ("training", "timing"))
    return {
        "run": folder.parent.name,
        "pair": folder.name,
        "steps": training["steps"],
        "numerics": training["numerics"],
        "hours": round(timing["wall_seconds"] / 3600, 2),
        "tokens_per_second": timing["tokens_per_second"],
        "machine": "; ".join(dict.fromkeys(map(machine_of, stretches_of(timing)))),
    }


def _scores(results: Path, folders: Sequence[Path]) -> pd.DataFrame:
    """Return every figure of the runs that have been scored (docs/formats.md).  Raises UserError without any."""
    runs = []
    for files in (AVERAGED, LAST, PARSES):
        scored = [path for path in folders if all((path / file).exists() for file in files.values())]
        runs += read_runs(scored, files)
    if not runs:
        raise UserError(
            f"{results}: no run has been scored; make a table of scores first, e.g. results/table2.tex"
        )
    return scores_of(runs)


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")


if __name__ == "__main__":
    run_script(main)
