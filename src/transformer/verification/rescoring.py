"""Scores computed again from translation and reference, or from predicted and gold trees."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from transformer.common.json_artifacts import read_artifact
from transformer.corpus.pairs import read_pairs, without_marks
from transformer.dataset.tokenized import TokenizedDataset
from transformer.parsing.evalb import summary
from transformer.parsing.evalb_files import read_decoding, score_files
from transformer.scoring.bleu import COUNTS
from transformer.scoring.measures import all_measures, results
from transformer.scoring.perplexity import perplexity
from transformer.tables.runs import Run
from transformer.verification.artifacts import files_of_scores, perplexities, weights_of
from transformer.verification.checks import Check, file_check, value_check

SCORES = ("scores", "parses", "unconstrained")
# The files behind scores that are read again.
READ = ("hypothesis", "reference", "gold", "predicted", "decoding")


def check_scores(run: Run, data: Path) -> Iterator[Check]:
    """Check the hashes in a run's scores files, then compute the scores again and compare all figures.

    Perplexity does not record its tokenized text, which is checked against its own sums, and counted.
    """
    for name in SCORES:
        if name not in run.files:
            continue
        files = files_of_scores(run, name, data)
        recorded = run.content[name]["files"]
        broken = False
        for kind, path in files.items():
            check = file_check(path, recorded[kind]["sha256"], run.path(name))
            broken = broken or bool(check.differs and kind in READ)
            yield check
        if not broken:  # otherwise every figure would be named once more
            compute = _translation_scores if name == "scores" else _parse_scores
            yield from compute(run, name, files)
    if "perplexity" in run.files:
        where = run.path("perplexity")
        weights = weights_of(run) / "model.safetensors"
        yield file_check(weights, run.content["perplexity"]["model_sha256"], where)
        for split, figures in perplexities(run).items():
            found = perplexity(figures["nll"], figures["tokens"])
            yield value_check(f"perplexity of {split}", found, figures["perplexity"], where)
            dataset = TokenizedDataset.open(data / "tokenized" / run.pair / split)  # which checks its sums
            tokens = len(dataset.target.ids)
            yield value_check(f"tokens of {split}", tokens, figures["tokens"], where)


def _translation_scores(run: Run, name: str, files: dict[str, Path]) -> Iterator[Check]:
    scores, where = run.content[name], run.path(name)
    pairs = without_marks(read_pairs(files["hypothesis"], files["reference"]))
    hypotheses, references = zip(*pairs, strict=True)
    measures = all_measures(hypotheses, references, scores["language"])
    yield value_check("number of sentences", len(hypotheses), scores["sentences"], where)
    computed = results(measures)
    for measure in sorted(computed.keys() | scores["measures"].keys()):
        yield value_check(measure, computed.get(measure), scores["measures"].get(measure), where)
    if "decoding" in files:
        decoding = read_artifact(files["decoding"], "decoding")
        yield value_check("decoding", decoding, scores.get("decoding"), where)
    (shown,) = (measure for measure in measures if measure.name == scores["headline"])
    yield _counts_check(where.with_suffix(".csv"), list(COUNTS), shown.statistics.tolist())


def _parse_scores(run: Run, name: str, files: dict[str, Path]) -> Iterator[Check]:
    scores, where = run.content[name], run.path(name)
    sentences = score_files(files["gold"], files["predicted"], scores["tags"] == "gold")
    computed: dict[str, Any] = summary(sentences)
    if "decoding" in files:
        computed["decoding"] = read_decoding(files["decoding"], len(sentences))
    for figure, value in computed.items():
        yield value_check(figure, value, scores.get(figure), where)
    rows = [asdict(sentence) for sentence in sentences]
    yield _counts_check(
        where.with_suffix(".csv"), list(rows[0]), [[int(x) for x in row.values()] for row in rows]
    )


def _counts_check(path: Path, columns: list[str], computed: list[list[int]]) -> Check:
    """Check the counts of each sentence in a CSV file, from which intervals and tests of differences are computed."""
    what = str(path)
    try:
        frame = pd.read_csv(path)
        recorded = frame[columns].to_numpy().tolist()
    except (FileNotFoundError, KeyError, ValueError) as error:
        return Check(what, f"{path}: missing or damaged ({error})")
    wrong = [
        n for n, (one, other) in enumerate(zip(computed, recorded, strict=False), start=1) if one != other
    ]
    if len(recorded) != len(computed):
        return Check(what, f"{path}: has {len(recorded)} sentences instead of {len(computed)}")
    return Check(what, f"{path}: the counts of sentence {wrong[0]} are others" if wrong else "")
