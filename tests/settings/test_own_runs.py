"""Runs that a user adds: where they belong, what they may be called, and what is refused before anything trains."""

from pathlib import Path

from configuration import edit, load, message


def test_a_run_of_runs_yaml_is_divided_as_the_papers_are(project: Path) -> None:
    edit(project, "runs.yaml", "mine", value={"d_model": 384, "N": 4})
    settings = load(project)
    base, mine = (settings.run(run, "en-de") for run in ("base", "mine"))
    assert mine["model"] == base["model"] | {"d_model": 72, "N": 2}
    assert mine["training"] == base["training"]
    assert settings.user_runs == ["mine"]
    assert settings.project_runs == load().project_runs


def test_a_run_of_a_scale_alone_is_taken_as_it_is(project: Path) -> None:
    edit(project, "demo.yaml", "runs", "mine", value={"d_model": 384, "N": 4})
    settings = load(project)
    assert settings.user_runs == ["mine"]
    assert settings.runs[-1] == "mine"
    expected = settings.run("base", "en-fr")["model"] | {"d_model": 384, "N": 4}
    assert settings.run("mine", "en-fr")["model"] == expected
    assert settings.run("mine-seed7", "en-de")["seed"] == 7
    assert "mine" not in load(project, scale="small").runs


def test_the_checkpoint_of_the_last_step_counts(project: Path) -> None:
    """After 2, 4, 6, 8 and 9 steps, five can be averaged."""
    mine = {"steps": 9, "checkpoint_every_steps": 2, "average_checkpoints": 5, "keep_checkpoints": 5}
    edit(project, "demo.yaml", "runs", "mine", value=mine)
    assert load(project).averaging("mine", "en-de")["average_checkpoints"] == 5
    edit(project, "demo.yaml", "runs", "mine", value=mine | {"steps": 8})
    assert "8 steps with checkpoint_every_steps 2 write 4" in message(project)


def test_another_encoder_layer_does_not_make_it_the_projects(project: Path) -> None:
    edit(project, "runs.yaml", "gated", value={"encoder_layer": "recurrent"})
    settings = load(project, layer_rows=True)
    assert settings.user_runs == ["gated"]
    assert settings.table2_runs == ["base", "big", "recurrent", "convolutional", "restricted"]


def test_a_row_of_the_paper_needs_its_run(project: Path) -> None:
    file = project / "config" / "runs.yaml"
    file.write_text(file.read_text().replace("C-N8: {N: 8}", ""))
    assert message(project) == ("config/runs.yaml: missing run 'C-N8', a row of Table 3; put it back")


def test_the_rows_of_table_2(project: Path) -> None:
    edit(project, "runs.yaml", "mine", value={"N": 4})
    assert load(project).table2_runs == ["base", "big"]
    chosen = load(project, table2=["mine", "base"], layer_rows=True)
    assert chosen.table2_runs == ["mine", "base", "recurrent", "convolutional", "restricted"]
    edit(project, "demo.yaml", "table2", value=["base", "C-N4"])
    assert load(project).table2_runs == ["base", "C-N4"]
    assert load(project, table2=["mine"]).table2_runs == ["mine"]
