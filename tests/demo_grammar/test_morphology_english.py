"""English inflection, against forms written by hand."""

from demo_grammar import morphology_english as english


def test_english_forms() -> None:
    assert [english.third_person(verb) for verb in ("go", "carry", "play", "catch")] == [
        "goes",
        "carries",
        "plays",
        "catches",
    ]
    assert [english.gerund(verb) for verb in ("write", "swim", "travel")] == [
        "writing",
        "swimming",
        "travelling",
    ]
    assert [english.past(verb) for verb in ("stop", "hurry", "like", "sing")] == [
        "stopped",
        "hurried",
        "liked",
        "sang",
    ]
    articles = [
        english.indefinite_article(word) for word in ("apple", "university", "honest", "old", "house")
    ]
    assert articles == ["an", "a", "an", "an", "a"]
