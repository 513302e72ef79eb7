"""What can be made again from the runs: tables, their copies, and the files that collect the figures of all runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.errors import UserError
from transformer.common.json_artifacts import read_object
from transformer.common.project import config_file, find_recorded, resource_file
from transformer.corpus.licences import licence_note
from transformer.tables.collect_metrics import curve, headline, metrics
from transformer.tables.compare import comparison_table
from transformer.tables.comparison import read_comparison
from transformer.tables.cost import cost_files
from transformer.tables.literature import read_literature
from transformer.tables.make_table import build_table
from transformer.tables.runs import AVERAGED, LAST, PARSES, Run, read_further_tests, read_runs
from transformer.tables.scores import scores_of, scores_of_baselines
from transformer.verification.checks import Check, text_check, value_check

FROM_SCORES = {"metrics.json": metrics, "headline.json": headline}


def check_table(facts: Mapping[str, Any], runs: Sequence[Run], results: Path) -> Iterator[Check]:
    """Check the files of a table, whose provenance is ``facts``, in ``results``, its scale's folder (results/demo).

    So are their copies beside that folder, unless these are another scale's.
    """
    for name, text in table_texts(facts, runs, results).items():
        own, copy = results / "tables" / name, results.parent / name
        yield text_check(own, text)
        others = [path for path in results.parent.glob(f"*/tables/{name}") if path != own]
        if copy.exists() and not any(path.read_bytes() == copy.read_bytes() for path in others):
            yield text_check(copy, text)


def table_texts(facts: Mapping[str, Any], runs: Sequence[Run], results: Path) -> dict[str, str]:
    """Return the texts of a table's files by name, from the paper's numbers and the licences that ``facts`` names."""
    if "sources" in facts:  # the comparison has no numbers of its own
        sources = [Path(entry["path"]) for entry in facts["sources"]]
        tables = [path for path in sources if path.stem.startswith("table")]
        return comparison_table(read_comparison(tables)).files()
    (name,) = {Path(entry["path"]).stem for entry in facts["tables"].values()} - {"cost"}
    literature = read_literature(find_recorded(facts["literature"]["path"]))
    table = build_table(name, literature, **_inputs(runs, results))
    texts = table.files(licence_note(facts["data"]))
    if name == "table2":
        texts |= cost_files(runs, literature, resource_file("devices.yaml"))
    return texts


def _inputs(runs: Sequence[Run], results: Path) -> dict[str, Any]:
    """Return what tables are made from; Table 1 has no runs."""
    if not runs:
        return {"layers": results / "layers.json"}
    pairs = list(dict.fromkeys(run.pair for run in runs))
    baselines = [results / "baselines" / f"{pair}.json" for pair in pairs]
    own = [run for run in runs if run.test_set == run.corpus]
    return {
        "runs": own,
        "further_tests": [run for run in runs if run not in own],
        "baselines": [path for path in baselines if path.exists()],
        "pairs": pairs,
        "paper_settings": config_file("runs.yaml"),
    }


def check_collected(results: Path) -> Iterator[Check]:
    """Check scores.csv, metrics.json, headline.json and the curves beside ``results``, a scale's folder (results/demo).

    They are of the scale that was built last, so they may agree with another scale's runs instead.  A file that has
    not been made is not checked.
    """
    folder = results.parent
    scales = [results, *(path.parent for path in sorted(folder.glob("*/runs")) if path.parent != results)]
    checks: dict[Path, Callable[[Path, Path], Check]] = {folder / "scores.csv": _check_scores}
    checks |= dict.fromkeys((folder / name for name in FROM_SCORES), _check_figures)
    checks |= dict.fromkeys(sorted(folder.glob("curves/*.csv")), _check_curve)
    for path, check in checks.items():
        if path.exists():
            tried = [_try(check, path, scale) for scale in scales]
            yield next((check for check in tried if not check.differs), tried[0])


def _try(check: Callable[[Path, Path], Check], path: Path, results: Path) -> Check:
    try:
        return check(path, results)
    except (UserError, LookupError, TypeError, ValueError) as error:  # the file may hold anything
        return Check(str(path), f"{path}: cannot be made again: {error}")


def _check_scores(path: Path, _: Path) -> Check:
    """Check scores.csv, each row of which names the JSON file that it was read from."""
    sources = [Path(source) for source in pd.read_csv(path)["path"].unique()]
    runs = read_runs(_folders(sources, AVERAGED["scores"]))
    runs += read_further_tests([source.parent for source in sources if source.parts[-3] == "tests"])
    runs += read_runs(_folders(sources, LAST["scores"]), LAST)
    runs += read_runs(_folders(sources, PARSES["parses"]), PARSES)
    baselines = [source for source in sources if source.parts[-2] == "baselines"]
    frames = [scores_of(runs), scores_of_baselines(baselines, runs[0].scale, runs[0].corpus)]
    again = pd.concat(frames, ignore_index=True).drop_duplicates()
    return text_check(path, again.to_csv(index=False, lineterminator="\n"))


def _folders(sources: Sequence[Path], below: str) -> list[Path]:
    """Return the folders of runs, ``runs/RUN/PAIR``, that have their file ``below`` among the ``sources``."""
    folders = [Path(source.as_posix().removesuffix(f"/{below}")) for source in sources]
    return [folder for folder in folders if folder.parent.parent.name == "runs"]


def _check_figures(path: Path, results: Path) -> Check:
    """Check a JSON file with figures of runs by their names against the runs of a scale."""
    found = read_object(path)
    runs = [run for name, facts in found.items() for run in _runs(results / "runs" / name, facts)]
    again = FROM_SCORES[path.name](scores_of(runs))
    return Check(str(path), value_check("", again, found, path).differs)


def _runs(folder: Path, facts: Any) -> list[Run]:
    """Return the runs of one name; ``facts`` has a key for each language pair, or the scores of a parser."""
    known = facts if isinstance(facts, dict) else {}
    pairs = {key: value for key, value in known.items() if isinstance(value, dict)}
    last = [pair for pair, value in pairs.items() if value.keys() & {"last", "dev_bleu"}]
    parsers = [path.parent for path in folder.glob("*/parses.json")] if not pairs else []
    return [
        *read_runs([folder / pair for pair in pairs if pair not in last]),
        *read_runs([folder / pair for pair in last], LAST),
        *read_runs(parsers, PARSES),
    ]


def _check_curve(path: Path, results: Path) -> Check:
    """Check the curve of a run, RUN.PAIR.csv, against the figures that its training wrote."""
    name, _, pair = path.stem.rpartition(".")
    again = curve(results / "runs" / name / pair / "metrics.jsonl")
    return text_check(path, again.to_csv(index=False))
