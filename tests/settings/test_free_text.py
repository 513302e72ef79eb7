"""Text that users write freely: one line, and no option of a command."""

from pathlib import Path

from configuration import edit, load


def test_line_breaks_in_names_become_blanks(project: Path) -> None:
    edit(project, "demo.yaml", "corpus", value="my\n  corpus\n")
    edit(project, "demo.yaml", "citation", value="A. Author:\n\nA title. 2016.\n")
    edit(project, "demo.yaml", "parsing", "treebank", value="my\ttrees")
    settings = load(project, scale="demo")
    assert settings.corpus == "my corpus"
    assert settings.own_terms["citation"] == "A. Author: A title. 2016."
    assert settings.parsing is not None
    assert settings.parsing["treebank"] == "my trees"


def test_a_scale_may_have_blanks_and_letters_of_any_language(project: Path) -> None:
    (project / "config" / "mein Maß 2.yaml").write_text("inherits: demo\n")
    assert load(project, scale="mein Maß 2").scale == "mein Maß 2"
