"""Which files of the registry each corpus is made of."""

import re
from pathlib import Path

import pytest
import yaml
from configuration import edit, load, message


def test_the_caption_names_the_test_set(project: Path) -> None:
    edit(project, "paper.yaml", "translation", "en-de", "source", "test", value="newstest2014-filtered")
    assert message(project, scale="paper") == (
        "config/paper.yaml: corpus: tables call the corpus 'WMT14, newstest2014', but the test set is "
        "newstest2014, newstest2014-filtered; add its name, after a comma"
    )
    edit(project, "paper.yaml", "corpus", value="WMT14, newstest2014-filtered, newstest2014")
    assert load(project, scale="paper").corpus


def test_a_folder_adds_sources_and_replaces_none(project: Path) -> None:
    about = dict.fromkeys(("title", "licence", "citation"), "none") | {"homepage": "https://example.org/"}
    files = [{"path": f"news/test.{side}", "url": "https://example.org/"} for side in ("en", "fr")]
    news = about | {"splits": {"test": {side: f"news/test.{side}" for side in ("en", "fr")}}, "files": files}
    own = project / "config" / "sources.yaml"
    own.write_text(yaml.safe_dump({"news": news}))
    named = load(project, scale="small", further_tests=["news", FLICKR])
    assert named.further_tests == {"en-de": [FLICKR], "en-fr": ["news", FLICKR]}
    own.write_text(yaml.safe_dump({"multi30k": news}))
    line = message(project)
    assert line.startswith(f"{own}: multi30k is a source of ")
    assert "resources/sources.yaml; choose" in line
    own.write_text(yaml.safe_dump({"news": news | {"files": files[:1]}}))
    line = message(project, scale="small", further_tests=["news"])
    assert line == "sources.yaml: news: news/test.fr is not among the files; add it"


FLICKR, MSCOCO = "multi30k-2017-flickr", "multi30k-2017-mscoco"


def test_further_tests_of_the_scale_or_of_the_command_line(project: Path) -> None:
    assert load(project, scale="small").further_tests == {"en-de": [], "en-fr": []}
    named = load(project, scale="small", further_tests=[MSCOCO, FLICKR])
    assert named.further_tests == {"en-de": [MSCOCO, FLICKR], "en-fr": [MSCOCO, FLICKR]}
    (file,) = named.downloads["en-fr", f"tests/{MSCOCO}", "fr"]
    assert (file["path"], file["source"]) == ("multi30k/test_2017_mscoco.fr.gz", MSCOCO)
    assert named.downloads.items() > load(project, scale="small").downloads.items()
    edit(project, "small.yaml", "further_tests", value=[FLICKR])
    assert load(project, scale="small").further_tests["en-de"] == [FLICKR]
    assert load(project, scale="small", further_tests=[]).further_tests["en-de"] == []


def test_a_generated_corpus_may_have_further_tests() -> None:
    assert load(further_tests=[FLICKR]).downloads.keys() == {
        (pair, f"tests/{FLICKR}", side) for pair in ("en-de", "en-fr") for side in pair.split("-")
    }


def test_a_further_test_of_one_language_pair() -> None:
    """EN-FR has no filtered test set."""
    settings = load(scale="paper", further_tests=["newstest2014-filtered"])
    assert settings.further_tests == {"en-de": ["newstest2014-filtered"], "en-fr": []}


@pytest.mark.parametrize("name", ["multi30k-2017-flikr", "newstest2013", "multi30k"])
def test_a_further_test_that_is_none(project: Path, name: str) -> None:
    """It is unknown, has no test split, or is the scale's own."""
    line = re.escape(f"further_tests: unknown further test set '{name}';")
    valid = f"valid: {FLICKR}, {MSCOCO}, newstest2014, newstest2014-filtered$"
    said = message(project, scale="small", further_tests=[FLICKR, name])
    assert re.match(f"config/config.yaml or --config: {line}.* {valid}", said)
    edit(project, "small.yaml", "further_tests", value=[name])
    assert re.match(f"config/small.yaml: {line}.* {valid}", message(project, scale="small"))


def test_a_further_test_has_another_name_than_the_corpus(project: Path) -> None:
    edit(project, "demo.yaml", "corpus", value=FLICKR)
    assert f"unknown further test set '{FLICKR}'" in message(project, further_tests=[FLICKR])


def test_several_test_sets_are_not_joined(project: Path) -> None:
    names = ["newstest2014", "newstest2014-filtered"]
    edit(project, "paper.yaml", "translation", "en-de", "source", "test", value=names)
    assert message(project, scale="paper") == (
        f"config/paper.yaml: translation.en-de.source: test is {names}; it must be a text "
        "(one name; `further_tests` names test sets to score besides it)"
    )
