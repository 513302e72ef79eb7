"""Names and terms from the configuration that would be code elsewhere: LaTeX, HTML, Markdown, RST, YAML and shells."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from made_artifacts import DECODING
from micro_project import copy_project
from rendered import compile_table, needs_latex

from transformer.export.model_card import model_card
from transformer.report.publish_results import index
from transformer.tables.cells import Cell, Column, Line, Table
from transformer.tables.latex_text import escape, from_markdown
from transformer.tables.render import markdown, renderings

ROOT = Path(__file__).parents[2]
HOSTILE = [
    r"5% of R&D_#1 $x^2$ {a} ~b",
    r"\input{/etc/passwd}\write18{id}",
    "[8pt] and * and \\\\",
    "* star",
    "<script>alert('x')</script><img src=x onerror=\"y()\">",
    "a | b || c",
    "`id` $(id) ; rm -rf / & \"q\" 'q' !x",
    "`link <javascript:x()>`_ and *em* |sub| name_",
    'license: mit" #: {[',
    "**bold** ^^^ %%% --- <sup>a</sup>",
    "国連 Корпус ООН, Ελληνικά τ, العربية, cafe\u0301 x\u0301, 😀 Ħ \u200d",
]


def commands_of(latex: str) -> set[str]:
    return set(re.findall(r"\\([A-Za-z]+)", latex))


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_has_no_command_of_the_text(text: str) -> None:
    own = {"textbackslash", "textasciitilde", "textasciicircum", "textbf", "textsuperscript", "rlap"}
    own |= {"textless", "textgreater", "textbar"}
    for latex in (escape(text), from_markdown(text)):
        assert commands_of(latex) <= own
        assert not re.search(r"(?<!\\)[$&#%_^]", latex)
        assert not re.match(r"\s*[\[*]", latex)


def test_lines_that_would_end_a_paragraph() -> None:
    assert escape("one\n\ntwo\r\n three") == "one two three"


@needs_latex
def test_a_table_compiles_with_every_text(tmp_path: Path) -> None:
    kept = [char for char in map(chr, range(0xA0, 0x10000)) if escape(char) == char]
    assert set("äßñŁőş€„“–—…") < set(kept)
    table = Table(
        "table2",
        [Column("label", ("",)), Column("x", ("x",))],
        [Line([Cell("label", text), Cell("x", "1")], block=text) for text in HOSTILE],
        csv=[],
        caption=" ".join(HOSTILE),
        notes=[*HOSTILE, *kept],
        column_format="ll",
    )
    compile_table(renderings(table)["table2.tex"], tmp_path)


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_keeps_its_columns_and_has_no_elements(text: str, tmp_path: Path) -> None:
    (tmp_path / "table2.md").touch()
    page = markdown([f"# {text}", pd.DataFrame({"a": [text], "b": ["x"]}), text])
    page += index({"scale": "x", "corpus": text}, ["table2.md"], tmp_path)
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert re.findall("<[a-z/]+", page.replace("<sup>", "").replace("</sup>", "")) == []


@pytest.mark.parametrize("text", [*HOSTILE, "two\nlines\n---\nlicense: mit"])
def test_the_front_matter_of_a_model_card_is_one_value(text: str) -> None:
    measure = {"value": 1.0, "signature": "a|b", "interval": {"low": 1.0, "high": 1.0}}
    scores = {"sentences": 1, "headline": "sacrebleu", "measures": {"sacrebleu": measure}}
    scores |= {"files": {"checkpoint": {"sha256": "abc"}}, "decoding": DECODING}
    run = {"run": "base", "pair": "en-no", "scale": "mine", "corpus": text, "seed": 1}
    source = {"title": text, "licence": text, "citation": text}
    card = model_card(run, scores, [source])
    _, front, body = card.split("---\n", 2)
    # Unquoted, YAML would take `no`, the code of Norwegian, for a boolean.
    expected = {"language": ["en", "no"], "pipeline_tag": "translation", "license": "other"}
    assert yaml.safe_load(front) == expected
    assert "<" not in body


BRACES = (
    "@book{a, title = {The {B}ook}, note = {${USER} {params} {output.x} {w.run} #3 <results> \\n}}"
    + 900 * "long"
)


@pytest.mark.parametrize("text", [HOSTILE[6], BRACES])
def test_a_command_has_each_text_as_one_word(text: str, tmp_path: Path) -> None:
    """Of the rules that are given the name, licence and citation of the user's own corpus."""
    for name in ("train", "dev", "test"):
        for side in ("de", "en"):
            (tmp_path / f"a folder's {name}.{side}").write_text("x\n")
    files = {
        name: {side: str(tmp_path / f"a folder's {name}.{side}") for side in ("de", "en")}
        for name in ("train", "dev", "test")
    }
    scale = {"inherits": "demo", "translation": {"de-en": {"files": files}}}
    scale |= {"corpus": text[:1000], "licence": text, "citation": text}
    project = copy_project(tmp_path / "project")
    (project / "config" / "mine ä.yaml").write_text(json.dumps(scale))
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1", "--printshellcmds"]
    command += ["results/index.html", "--config", "scale=mine ä"]
    full = {**os.environ, "SNAKEMAKE_LOGGER_ATTENTION_FULL": "true"}
    done = subprocess.run(command, cwd=project, env=full, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in (done.stdout + done.stderr).splitlines() if " python " in f" {line}"]
    (words,) = [shlex.split(line) for line in lines if "transformer.tables.table2" in line]
    assert [word for word in words if word in (text, text[:1000])] == [text[:1000], text, text]
