"""Table 2 from run folders: what each rendering holds, and what it must not."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_runs import PAPER as RUNS
from fake_runs import MakeRun
from made_artifacts import change
from rendered import PAPER, compile_table, csv_rows, formats, needs_latex

from transformer.common.errors import UserError
from transformer.common.files import file_record
from transformer.page.chains import Chains
from transformer.page.shown_table import shown_table
from transformer.scoring.score_bleu import score_files
from transformer.settings.runs_file import LAYER_RUNS, T2T_RUNS
from transformer.tables.literature import PAPER_PAIRS, scientific
from transformer.tables.measures import chosen_measures
from transformer.tables.runs import read_runs
from transformer.tables.table2 import LAYERS, T2T, build_table2

WARNING = (
    "Ours: demo scale, fp32 numerics, synthetic grammar corpus, not WMT; not comparable with newstest2014"
)


def table_of(*folders: Path, pairs: Sequence[str] = PAPER_PAIRS) -> dict[str, str]:
    """The table in its formats: tex, csv and md."""
    return formats(build_table2(PAPER, read_runs(folders), pairs=pairs))


def test_csv_holds_the_papers_rows_then_ours(make_run: MakeRun) -> None:
    rows = csv_rows(table_of(make_run("big", "en-fr", bleu=60.0), make_run("base", "en-de"))["csv"])
    assert len(rows) == 10 + 2 * 2
    moe, base, base_sacrebleu, big = rows[4], rows[10], rows[11], rows[12]
    assert (moe["model"], moe["bleu_en-de"], moe["estimated_flops_en-fr"]) == ("MoE [32]", "26.03", "1.2e20")
    assert (base["bleu_en-de"], base["bleu_en-de_low"], base["bleu_en-de_high"]) == (
        "71.2340",
        "69.7340",
        "72.4840",
    )
    assert (base["bleu_en-de_paper"], base["training_flops_en-de"]) == ("27.3", "123456789012345")
    assert (base_sacrebleu["measure"], base_sacrebleu["bleu_en-de"]) == ("sacreBLEU", "70.2340")
    assert (base["bleu_en-fr"], base["bleu_en-fr_paper"], base["training_flops_en-fr"]) == (
        "",
        "",
        "",
    )  # no such run
    assert (big["model"], big["bleu_en-fr"], big["bleu_en-fr_paper"]) == (
        "Transformer (big)",
        "60.0000",
        "41.8",
    )


def test_tex_rows(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    lines = table_of(run)["tex"].splitlines()
    literature = (
        r"ConvS2S Ensemble [9] & 26.36 &  & \textbf{41.29} &  & "
        r"$7.7 \cdot 10^{19}$ & $1.2 \cdot 10^{21}$ &  &  \\"
    )
    assert literature in lines
    assert lines[lines.index(r"\toprule") + 3].startswith(
        r" & \multicolumn{2}{c}{EN-DE} & \multicolumn{2}{c}{EN-FR} & \multicolumn{2}{c}{estimated} & "
    )
    ours = next(line for line in lines if "71.2 [69.7, 72.5]" in line)
    sha256 = read_runs([run])[0].sha256["scores"]
    assert ours == (
        r"Transformer (base model) & 27.3 & 71.2 [69.7, 72.5] &  &  &  &  & $1.2 \cdot 10^{14}$ &  \\ "
        f"% results/demo/runs/base/en-de/scores.json sha256:{sha256}"
    )


def test_no_column_mixes_estimated_and_counted_operations(make_run: MakeRun) -> None:
    """The paper's own estimate has no neighbour of ours; our count of its runs stands above that of ours."""
    table = table_of(make_run("base", "en-de"))
    rows = csv_rows(table["csv"])
    estimated = [row["estimated_flops_en-de"] for row in rows]
    counted = [row["training_flops_en-de"] for row in rows]
    assert estimated[8:] == ["3.3e18", "2.3e19", "", ""]
    assert counted == [*8 * [""], "9.4e17", "9.5e18", *2 * ["123456789012345"]]
    both = r" & $\mathbf{3.3 \cdot 10^{18}}$" * 2
    assert f"{both} & $9.4 \\cdot 10^{{17}}$ & $8.8 \\cdot 10^{{17}}$" in table["tex"]
    heads = [head.strip() for head in table["md"].partition("| Model ")[2].splitlines()[0].split("|")]
    assert heads[5:9] == [
        f"{how} FLOPs, {pair}" for how in ("estimated", "counted") for pair in ("EN-DE", "EN-FR")
    ]


def test_runs_that_the_paper_does_not_have_stand_below_with_a_note(make_run: MakeRun) -> None:
    """The models as by T2T, other encoders, then those of the user, whatever their encoder, and those of Table 3."""
    base, other = make_run("base", "en-de"), make_run("recurrent", "en-de", encoder_layer="recurrent")
    mine = make_run("my_run", "en-de", bleu=50.0, encoder_layer="recurrent")
    without, t2t = table_of(base), [make_run(run, "en-de") for run in T2T]
    table = table_of(mine, make_run("C-N4", "en-de"), *t2t, other, base)
    rows = csv_rows(table["csv"])[10::2]
    models = ["Transformer (base model)", *T2T.values(), "Recurrent encoder", "my_run", "C-N4"]
    assert [row["model"] for row in rows] == models
    assert [row["bleu_en-de_paper"] for row in rows] == ["27.3", "", "", "", "", ""]
    assert rows[4]["bleu_en-de"] == "50.0000"
    lines = table["tex"].splitlines()
    notes = [number for number, line in enumerate(lines) if "Not in the paper" in line]
    assert [lines[number + 1].split(" &")[0] for number in notes] == [models[1], models[3], r"my\_run"]
    assert lines[notes[2] + 1].startswith(r"my\_run &  & 50.0 [48.5, 51.2]")
    assert f"made them: {', '.join(T2T.values())}." in table["md"]
    assert "| Recurrent encoder, ours, sacreBLEU " in table["md"]
    assert "Not in the paper's Table 2; the names are those of config/: my_run, C-N4." in table["md"]
    for ending in ("tex", "md"):
        assert "another layer of section 4" in table[ending]
    assert not any("Not in the paper" in text or "section 4" in text for text in without.values())


def test_the_project_s_own_rows_are_those_of_the_settings() -> None:
    assert list(T2T) == [run for run in RUNS if run.startswith("t2t-")] == list(T2T_RUNS)
    assert list(LAYERS) == [run for run in RUNS if "encoder_layer" in RUNS[run] and run != "base"]
    assert list(LAYERS) == list(LAYER_RUNS)


def test_every_rendering_warns_and_gives_both_values_of_the_paper(make_run: MakeRun) -> None:
    for text in table_of(make_run("base", "en-de")).values():
        assert WARNING in text
        assert "41.8" in text
        assert "41.0 in section 6.1" in text


def test_order_of_the_folders_does_not_matter(make_run: MakeRun) -> None:
    folders = [make_run(run, pair) for run in ("base", "big") for pair in ("en-de", "en-fr")]
    assert table_of(*folders) == table_of(*reversed(folders))


def test_a_row_that_differs_from_base_is_marked(make_run: MakeRun) -> None:
    table = table_of(make_run("base", "en-de"), make_run("big", "en-de", bleu=50.0), make_run("big", "en-fr"))
    assert "| 50.0 [48.5, 51.2]<sup>†</sup> |" in table["md"]
    assert r"50.0 [48.5, 51.2]\rlap{\textsuperscript{\dag{}}} &" in table["tex"]
    assert "71.2 [69.7, 72.5]<" not in table["md"]  # base itself, and big where there is no base
    note = (
        "<sup>†</sup> BLEU differs from that of base (p < 0.05 after Holm's correction for one comparison, approximate "
        "randomisation of sentences, which says nothing of other seeds)."
    )
    assert note in table["md"]
    rows = csv_rows(table["csv"])[10:]
    assert [row["bleu_en-de_p"] for row in rows] == ["", "", "0.000999001", ""]  # of the headline only
    assert {row["bleu_en-fr_p"] for row in rows} == {""}
    assert "†" not in table_of(make_run("base", "en-de"))["md"]


@pytest.mark.parametrize("seeds", [(1,), (1, 2)])
def test_a_row_of_the_user_s_own_changes_nothing_that_is_said_of_the_paper_s(
    make_run: MakeRun, seeds: Sequence[int]
) -> None:
    """Nor does it get its mark by an uncorrected p: it is a family of its own, and the note says so."""
    bleus = {"base": 50.0, "big": 56.0, "mine": 80.0, "other": 65.0}
    runs = {
        run: [make_run(run, "en-de", bleu=bleu + seed, seed=seed) for seed in seeds]
        for run, bleu in bleus.items()
    }
    papers = table_of(*runs["base"], *runs["big"])
    table = table_of(*(folder for folders in runs.values() for folder in folders))
    rows = csv_rows(table["csv"])
    assert rows[:14] == csv_rows(papers["csv"])
    tested = [row for row in rows if row["bleu_en-de_p"]]
    assert [row["model"] for row in tested] == ["Transformer (big)", "mine", "other"]
    p, corrected = ([float(row[f"bleu_en-de_{name}"]) for row in tested] for name in ("p", "p_holm"))
    assert corrected[0] == p[0]
    assert min(corrected[1:]) == pytest.approx(2 * min(p[1:]), rel=1e-4)
    said = "Holm's correction for one comparison and, apart from these, for 2 comparisons of rows that the paper does"
    assert said in table["md"]


def test_what_differs_from_base_in_the_other_direction_than_in_the_paper_is_said(make_run: MakeRun) -> None:
    worse = table_of(make_run("base", "en-de"), make_run("big", "en-de", bleu=50.0))
    said = (
        "Beyond chance, but unlike the paper's: Transformer (big) (BLEU, EN-DE 50.0 against 71.2, p = 0.001)."
    )
    assert said in worse["md"]
    better = table_of(make_run("base", "en-fr", bleu=50.0), make_run("big", "en-fr"))
    assert "†" in better["md"]
    assert "unlike the paper's" not in better["md"]


@pytest.mark.parametrize("change", [{"csv": ["modle"]}, {"csv": ["model", "measure", "bleu", "blue"]}])
def test_a_fact_that_no_column_names_and_a_column_without_facts_are_errors(
    make_run: MakeRun, change: dict[str, Any]
) -> None:
    table = build_table2(PAPER, read_runs([make_run("base", "en-de")]))
    with pytest.raises(ValueError, match="not both a column and a fact"):
        formats(replace(table, **change))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["headline", "sacrbleu"], "there is no measure 'sacrbleu'; did you mean 'sacrebleu'"),
        (["sacrebleu"], "give headline as well, beside which the paper's numbers stand"),
    ],
)
def test_measures_that_cannot_be_shown(names: list[str], said: str) -> None:
    with pytest.raises(UserError, match=f"table2_measures: {said}"):
        chosen_measures(names)


@pytest.fixture
def translated(make_run: MakeRun) -> tuple[list[Path], Path]:
    """Runs of base, big and mine with their translations, and the reference of these.

    Both measures have base and big as far apart as can be, except that chrF sees nothing of the words' order.
    """
    reference = Path("test.de")
    lines = [f"die Katze {n} sieht den Hund" for n in range(40)]
    texts = {"base": [" ".join(line.split()[::-1]) for line in lines], "big": lines, "mine": ["ja"] * 40}
    reference.write_text("".join(f"{line}\n" for line in lines))
    folders = []
    for run, translation in texts.items():
        folder = make_run(run, "en-de", bleu={"base": 50.0, "big": 60.0, "mine": 10.0}[run])
        (folder / "test.de").write_text("".join(f"{line}\n" for line in translation))
        scores, _ = score_files(folder / "test.de", reference, "de")
        content = json.loads((folder / "scores.json").read_text())
        files = content["files"] | {
            "hypothesis": file_record(folder / "test.de"),
            "reference": file_record(reference),
        }
        change(
            folder / "scores.json",
            files=files,
            measures=content["measures"] | {"chrf": scores["measures"]["chrf"]},
        )
        folders.append(folder)
    return folders, reference


def test_chrf_has_columns_an_axis_a_name_p_values_and_corrections_of_its_own(
    translated: tuple[list[Path], Path],
) -> None:
    folders, reference = translated
    pairs, measures = ["en-de"], ["headline", "sacrebleu", "chrf"]
    without = build_table2(PAPER, read_runs(folders), pairs=pairs)
    table = build_table2(PAPER, read_runs(folders), None, pairs, measures, [reference])
    rows, before = (csv_rows(formats(of)["csv"]) for of in (table, without))
    assert [{name: row[name] for name in other} for row, other in zip(rows, before, strict=True)] == before
    base, _, big, _, mine, _ = (row for row in rows if row["origin"] == "ours")
    assert float(big["chrf2_en-de"]) == 100
    assert [row["chrf2_en-de_p"] == "" for row in (base, big, mine)] == [True, False, False]
    # big and mine are families of their own, and neither is corrected for BLEU's comparisons.
    assert all(row["chrf2_en-de_p"] == row["chrf2_en-de_p_holm"] for row in (big, mine))
    assert big["chrf2_en-de_p"] != ""
    texts = formats(table)
    assert r" & \multicolumn{2}{c}{BLEU} & chrF2 & " in texts["tex"]
    assert "| chrF2, EN-DE " in texts["md"]
    assert "chrF2 differs from that of base" in texts["md"]
    shown = shown_table(table, Chains([table]), "")
    plots = [place for place, head in enumerate(shown.heads) if head[1] == "plot"]
    axes = [shown.blocks[1].axis[place] for place in plots]
    assert axes[0] != axes[1]


def test_chrf_is_counted_in_the_texts_that_were_scored(translated: tuple[list[Path], Path]) -> None:
    folders, reference = translated
    measures = ["headline", "chrf"]
    with pytest.raises(UserError, match="chrf is tested on the reference that was scored; give it as well"):
        build_table2(PAPER, read_runs(folders), None, ["en-de"], measures, [folders[0] / "test.de"])
    (folders[1] / "test.de").write_text("another\n" * 40)
    with pytest.raises(UserError, match=r"big/en-de/test\.de"):
        build_table2(PAPER, read_runs(folders), None, ["en-de"], measures, [reference])


def test_rows_without_base_are_not_tested_and_the_table_says_so(make_run: MakeRun) -> None:
    said = "Nothing is tested: the rows are compared with base, which is not among them."
    for text in table_of(make_run("big", "en-de"), make_run("mine", "en-de")).values():
        assert said in text or ("\\toprule" not in text and text.startswith("origin"))
    assert said not in table_of(make_run("big", "en-de"))["md"]


def test_several_seeds_are_mean_and_standard_deviation(make_run: MakeRun) -> None:
    runs = [
        make_run(run, "en-de", bleu=bleu + seed, seed=seed)
        for run, bleu in (("base", 50.0), ("big", 60.0))
        for seed in (1, 2)
    ]
    table = table_of(*runs)
    assert "| 51.5 ± 0.7 " in table["md"]
    assert "| 61.5 ± 0.7<sup>†</sup> " in table["md"]
    assert "one comparison, t-test over seeds and sentences" in table["md"]
    assert "Mean ± standard deviation of 2 seeds." in table["md"]
    big = csv_rows(table["csv"])[12]
    assert (big["bleu_en-de"], big["bleu_en-de_sd"], big["bleu_en-de_low"]) == ("61.5000", "0.7071", "")
    assert (big["seeds"], len(big["scores_en-de"].split())) == ("1 2", 2)
    assert all(f"{run}/scores.json sha256:" in table["tex"] for run in runs)


def test_files_of_another_config_training_or_other_weights(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    change(run / "perplexity.json", model_sha256="e" * 64)
    files = json.loads((run / "scores.json").read_text())["files"]
    change(run / "scores.json", files=files | {"checkpoint": {"name": "x", "sha256": "d" * 64}})
    with pytest.raises(UserError, match=r"perplexity\.json: of other weights than .*scores\.json"):
        read_runs([run])
    change(run / "scores.json", files={"config": {"name": "config.json", "sha256": "0" * 64}})
    with pytest.raises(UserError, match=r"scores\.json: of another config than .*config\.json"):
        read_runs([run])
    change(run / "training.json", config_sha256="0" * 64)
    with pytest.raises(UserError, match=r"training\.json: of another config than .*; delete it and run Snak"):
        read_runs([run])


@pytest.mark.parametrize("name", ["config", "training", "perplexity", "scores"])
def test_an_edited_file_is_refused(make_run: MakeRun, name: str) -> None:
    """With a number raised in it, as someone might do who hopes for more."""
    path = make_run("base", "en-de") / f"{name}.json"
    path.write_text(re.sub(r"\d(,?\n)", r"77\1", path.read_text(), count=1))
    with pytest.raises(
        UserError, match=rf"{name}\.json: edited or damaged.*; delete it and run Snakemake again"
    ):
        read_runs([path.parent])


def test_runs_that_do_not_belong_together(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    with pytest.raises(UserError, match="are the same run, with the same seed"):
        read_runs([run, run])
    with pytest.raises(UserError, match="Table 2 has no column for en-it, only for en-de, en-fr"):
        table_of(run, make_run("base", "en-it"))
    with pytest.raises(UserError, match="one scale and corpus"):
        read_runs([run, make_run("base", "en-de", scale="small", corpus="Multi30k")])


def test_pairs_of_the_user_s_own(make_run: MakeRun) -> None:
    """The paper's cells are blank for a pair that it does not have, and its rows stay for one that it has."""
    table = table_of(make_run("base", "el-en"), make_run("base", "en-fr"), pairs=["el-en", "en-fr"])
    rows = csv_rows(table["csv"])
    assert {row["bleu_el-en"] + row["estimated_flops_el-en"] for row in rows[:-2]} == {""}
    cells = [rows[-2][name] for name in ("bleu_el-en", "bleu_el-en_paper", "bleu_en-fr_paper")]
    assert cells == ["71.2340", "", "38.1"]
    assert rows[-3]["estimated_flops_en-fr"] == "2.3e19"  # which the paper gives for both of its pairs
    assert "bleu_en-de" not in rows[0]
    assert "ByteNet [18]" not in {row["model"] for row in rows}  # which has EN-DE only
    heads = table["md"].partition("| Model ")[2].splitlines()[0]
    expected = [f"{pair}, {side}" for pair in ("EL-EN", "EN-FR") for side in ("paper", "ours")]
    assert [head.strip() for head in heads.split("|")][1:5] == expected
    assert "41.0 in section 6.1" in table["md"]
    assert "is that of Moses tokens.\n" in table["md"]  # nothing is said of German


def test_without_a_pair_of_the_paper_no_row_is_the_paper_s(make_run: MakeRun) -> None:
    table = table_of(*(make_run(run, "de-ka", bleu=50.0) for run in ("base", "big", "mine")), pairs=["de-ka"])
    models = [row["model"] for row in csv_rows(table["csv"])[::2]]
    assert models == ["Transformer (base model)", "Transformer (big)", "mine"]
    assert "41.0 in section 6.1" not in table["md"]
    assert "Not in the paper's Table 2; the names are those of config/: mine." in table["md"]
    body = table["tex"].split("\\bottomrule")[0]
    assert {
        line.split("%")[0].count("&") for line in body.splitlines() if line.startswith("Transformer")
    } == {4}


def test_a_note_says_where_tokens_are_sacrebleu_s(make_run: MakeRun) -> None:
    run = make_run("base", "de-ka")
    assert "sacreBLEU's (13a)" not in table_of(run, pairs=["de-ka"])["md"]
    measures = json.loads((run / "scores.json").read_text())["measures"]
    measures["multi_bleu"]["signature"] = "nrefs:1|case:mixed|tok:13a|sacrebleu:2.5.1"
    change(run / "scores.json", measures=measures)
    for ending in ("md", "tex"):
        assert "For DE-KA, the tokens are sacreBLEU's (13a)" in table_of(run, pairs=["de-ka"])[ending]


@needs_latex
@pytest.mark.parametrize("pairs", [["en-de", "en-fr"], ["el-en"], ["en-fr", "el-en", "gsw-de"]])
def test_tex_compiles_in_a_minimal_document(make_run: MakeRun, tmp_path: Path, pairs: list[str]) -> None:
    """Two pairs fit on a page."""
    runs = [
        make_run(run, pair, corpus="5% of R&D_#1 ü")
        for run in ("base", "big", "mine", *T2T)
        for pair in pairs
    ]
    said = compile_table(table_of(*runs, pairs=pairs)["tex"], tmp_path)
    assert "Overfull" not in said or len(pairs) > 2


@pytest.mark.parametrize(
    ("test_sets", "warning"),
    [
        ("newstest2014", ""),
        ("newstest2014-filtered", "; not comparable with newstest2014"),
        ("newstest2014-filtered, newstest2014", "; not comparable with newstest2014"),
    ],
)
def test_only_on_the_paper_s_own_test_set_nothing_warns(
    make_run: MakeRun, test_sets: str, warning: str
) -> None:
    run = make_run("base", "en-de", scale="paper", corpus=f"WMT14, {test_sets}")
    assert (
        csv_rows(table_of(run)["csv"])[-1]["note"]
        == f"Ours: paper scale, fp32 numerics, WMT14, {test_sets}{warning}"
    )


def test_scientific_notation_rounds_across_a_power_of_ten() -> None:
    assert [scientific(flops) for flops in (123_456, 999_999, 10**21)] == ["1.2e5", "1.0e6", "1.0e21"]
