"""Snakemake's records in one file: no times, only of what exists, and back again after a checkout."""

import json
import logging
from base64 import urlsafe_b64encode
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.persistence import MetadataRecord

from transformer.common.errors import UserError
from transformer.workflow.records import (
    again_without_record,
    check_records,
    restore_records,
    save_records,
    tell_unrecorded,
)


def write_record(root: Path, made: str, **changes: object) -> None:
    name = urlsafe_b64encode(made.encode()).decode()
    path = root / ".snakemake" / "metadata" / (f"@{name[:250]}/{name[250:]}" if len(name) > 250 else name)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "rule": "a",
        "params": ["1"],
        "starttime": 3.5,
        "endtime": 4.5,
        "job_hash": 7,
        "conda_env": "x",
    }
    path.write_text(json.dumps(content | changes))


def records(root: Path) -> dict[str, object]:
    folder = root / ".snakemake" / "metadata"
    return {
        str(path.relative_to(folder)): json.loads(path.read_text())
        for path in folder.rglob("*")
        if path.is_file()
    }


LONG = "results/demo/" + "a" * 240


@pytest.fixture
def project(tmp_path: Path) -> Path:
    others = ("results/small/a", "results/table2.tex", "results/demo/timing.json")  # the last has times
    for made in ("data/demo/a", LONG, "results/curves", *others):
        write_record(tmp_path, made)
        (tmp_path / made).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / made).touch()
    write_record(tmp_path, "data/demo/deleted")
    save_records("demo", tmp_path)
    return tmp_path


def test_the_file_has_what_is_versioned_and_no_times(project: Path) -> None:
    text = (project / "results/records.demo.json").read_text()
    assert len(json.loads(text)) == 3
    assert all(record == {"rule": "a", "params": ["1"]} for record in json.loads(text).values())
    write_record(project, "data/demo/a", starttime=99.0, job_hash=8)
    save_records("demo", project)
    assert (project / "results/records.demo.json").read_text() == text


def test_all_is_kept_that_snakemake_may_compare(project: Path) -> None:
    """Every field of its record but times, the job's hash and what the programs' environment is called here."""
    fields = set(MetadataRecord.model_fields)
    write_record(project, "data/demo/a", **dict.fromkeys(fields, 1))
    save_records("demo", project)
    kept = json.loads((project / "results/records.demo.json").read_text()).values()
    left_out = {"starttime", "endtime", "job_hash", "conda_env", "shellcmd", "external_jobid"}
    assert set.union(*map(set, kept)) == fields - left_out


def test_they_come_back_where_they_are_lost(project: Path) -> None:
    before = records(project)
    for path in (project / ".snakemake").rglob("*"):
        if path.is_file():
            path.unlink()
    restore_records("demo", project)
    assert len(records(project)) == 3
    assert records(project).keys() < before.keys()


def test_records_that_came_from_elsewhere_are_asked_for_before_anything_runs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    check_records("demo")  # this folder wrote them
    check_records("small")  # there are none
    (project / ".snakemake" / "records.demo.sha256").unlink()
    with pytest.raises(
        UserError, match=r"records\.demo\.json is new here: .*records\.py restore --scale demo`"
    ):
        check_records("demo")
    restore_records("demo", project)
    check_records("demo")


def test_runs_without_records_are_named(
    project: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As after `cp -r project/* elsewhere`, which leaves .snakemake behind."""
    monkeypatch.chdir(project)
    monkeypatch.setattr("snakemake.logging.logger", logging.getLogger("run"))
    for run in ("base", "big", "mine"):
        config = f"results/demo/runs/{run}/en-de/config.json"
        Path(config).parent.mkdir(parents=True)
        Path(config).touch()
        write_record(project, config)
    Path(".snakemake/metadata/.DS_Store").touch()
    tell_unrecorded("demo")
    assert caplog.messages == []
    for config in (f"results/demo/runs/{run}/en-de/config.json" for run in ("big", "mine")):
        Path(".snakemake/metadata", urlsafe_b64encode(config.encode()).decode()).unlink()
    tell_unrecorded("demo")
    assert (
        caplog.text.count("results/demo/runs/big/en-de/config.json and 1 more: .snakemake/metadata has no")
        == 1
    )


def test_another_version_of_the_file_replaces_them(project: Path) -> None:
    """As after `git checkout` and `dvc checkout`; but what this folder has made since it wrote the file stays."""
    write_record(project, "data/demo/a", params=["2"])
    restore_records("demo", project)
    assert ["2"] in [record["params"] for record in records(project).values()]  # type: ignore[index]
    file = project / "results/records.demo.json"
    file.write_text(file.read_text().replace('"1"', '"3"'))
    restore_records("demo", project)
    params = sorted(record["params"] for record in records(project).values())  # type: ignore[index]
    assert params == [["1"], ["1"], ["1"], ["3"], ["3"], ["3"]]  # the others are as they were


def test_what_may_be_of_another_scale_is_made_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of results/ that are here, but of which Snakemake has no record."""
    monkeypatch.chdir(project)
    files = [f"results/{name}.svg" for name in ("recorded", "lost", "missing")]
    for path in files[:2]:
        Path(path).touch()
    write_record(project, files[0])
    dag = SimpleNamespace(forcefiles=set[str]())
    assert again_without_record(SimpleNamespace(dag=dag), *files) == []
    assert dag.forcefiles == {files[1]}
