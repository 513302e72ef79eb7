"""The script src/transformer/tables/make_table.py: all outputs, or one line that says why not."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import tiny
from fake_runs import LITERATURE, MakeRun
from made_artifacts import DECODING
from rendered import assert_numbers_are_found

from transformer.common.files import sha256_of


def make(*runs: Path, table: str = "table2", data: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    inputs = ["--literature", LITERATURE, "--runs", *runs, "--data", *data]
    outputs = ["--output-dir", "results/demo/tables", "--provenance", "results/demo/provenance.json"]
    return tiny.run_captured("make_table", table, *inputs, *outputs)


def test_outputs_are_the_same_bytes_each_time_and_traceable(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    tables = Path("results/demo/tables")
    outputs = [tables / f"table2.{ending}" for ending in ("tex", "csv", "md")]
    outputs += [tables / "table2.sha256", Path("results/demo/provenance.json")]
    assert make(run).returncode == 0
    first = [path.read_bytes() for path in outputs]
    assert make(run).returncode == 0
    assert [path.read_bytes() for path in outputs] == first
    assert sorted(tables.iterdir()) == sorted(outputs[:-1])

    provenance = json.loads(Path("results/demo/provenance.json").read_text())
    assert_numbers_are_found(provenance["numbers"])
    measures = [number["measure"] for number in provenance["numbers"]]
    assert measures == ["training_flops", "multi_bleu_split", "sacrebleu"]
    assert provenance["tables"]["table2.tex"]["sha256"] == sha256_of(outputs[0])
    names = set("files checkpoints config training perplexity scores".split())
    assert set(provenance["runs"]["base/en-de"]) >= names
    assert provenance["runs"]["base/en-de"]["scores"]["decoding"] == DECODING
    assert provenance["software"]["sacrebleu"]


def test_recorded_paths_do_not_say_where_the_project_lies(make_run: MakeRun) -> None:
    run, place = make_run("base", "en-de"), Path("results/demo")
    assert make(run).returncode == 0
    table = (place / "tables" / "table2.csv").read_text()
    provenance = (place / "provenance.json").read_text()
    assert json.loads(provenance)["literature"]["path"] == "resources/literature.yaml"
    assert '"/' not in provenance
    assert make(run.absolute()).returncode == 0
    assert (place / "tables" / "table2.csv").read_text() == table
    assert (place / "provenance.json").read_text() == provenance


def test_the_licence_of_the_data_is_noted(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    assert make(run).returncode == 0
    tables = [Path("results/demo/tables", f"table2.{ending}") for ending in ("md", "tex")]
    before = [path.read_text() for path in tables]
    assert make(run, data=["multi30k"]).returncode == 0
    note = "Data of ours, and licences: multi30k (CC BY-NC-SA 4.0)."
    for text, path in zip(before, tables, strict=True):
        assert note not in text
        assert note in path.read_text()
    assert tables[1].read_text().rstrip().endswith(f"{note}}}}}\n\\end{{table}}")
    data = json.loads(Path("results/demo/provenance.json").read_text())["data"]
    assert data["multi30k"]["licence"] == "CC BY-NC-SA 4.0"
    assert data["multi30k"]["citation"].startswith("D. Elliott")
    wrong = make(run, data=["multi31k"])
    assert wrong.returncode == 1
    assert wrong.stderr.startswith(
        "error: resources/sources.yaml: unknown source 'multi31k'; did you mean 'multi30k'?"
    )


def test_table4_is_traceable(make_parser: MakeRun) -> None:
    assert make(make_parser("parser"), make_parser("parser-semi"), table="table4").returncode == 0
    names = {f"table4.{ending}" for ending in ("tex", "csv", "md", "sha256")}
    assert {path.name for path in Path("results/demo/tables").iterdir()} == names
    provenance = json.loads(Path("results/demo/provenance.json").read_text())
    assert_numbers_are_found(provenance["numbers"])
    found = [(number["measure"], number["decoding_method"]) for number in provenance["numbers"]]
    repaired = "unconstrained, repaired"
    assert found == 2 * [("f1", "constrained"), ("f1", repaired), ("malformed", repaired)]
    assert (set(provenance["tables"]), provenance["corpus"]) == (names, "grammar trees")
    assert set(provenance["runs"]) == {"parser/trees", "parser-semi/trees"}


def test_a_missing_score_writes_nothing(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    (run / "scores.json").unlink()
    done = make(run)
    assert (done.returncode, done.stderr) == (1, f"error: {run}/scores.json: no such file\n")
    assert not Path("results/demo/tables").exists()
