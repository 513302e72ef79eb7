"""The terms of data, as tables show them."""

import pytest

from transformer.common.errors import UserError
from transformer.corpus.licences import NOT_STATED, licence_note, terms_of, with_own

SOURCES = {
    name: {"title": f"Corpus {name}", "licence": licence, "citation": f"Author: {name}.", "files": []}
    for name, licence in (("a", "CC BY 4.0"), ("b", "free"), ("c", "CC BY 4.0"))
}


def test_a_note_names_the_sources_of_each_licence() -> None:
    terms = terms_of(["a", "b", "c"], SOURCES)
    assert terms["a"] == {"title": "Corpus a", "licence": "CC BY 4.0", "citation": "Author: a."}
    assert licence_note(terms) == "Data of ours, and licences: a, c (CC BY 4.0); b (free)."
    assert licence_note({}) == ""


def test_the_user_s_own_files_have_terms_of_their_own() -> None:
    terms = with_own(terms_of(["b"], SOURCES), ["Mine, dev and test cut", *NOT_STATED.values()])
    assert licence_note(terms).endswith("licences: b (free); Mine, dev and test cut (licence not stated).")
    assert with_own({}, None) == {}


def test_an_unknown_source() -> None:
    with pytest.raises(UserError, match="unknown source 'd'; valid: a, b, c"):
        terms_of(["d"], SOURCES)
