"""The Penn Treebank's files and their preparation."""

import gzip
from pathlib import Path

import pytest
import tiny

from transformer.common.errors import UserError
from transformer.parsing.linearise import constituents
from transformer.parsing.prepare_treebank import prepare, read_treebank, wsj_files
from transformer.parsing.trees import parse_tree, write_tree

FILE = """
( (S
    (NP-SBJ-1 (DT The) (NN dog) )
    (VP (VBZ seems)
      (S (NP-SBJ (-NONE- *-1) )
        (VP (TO to) (VP (VB run) ))))
    (. .) ))
( (FRAG (NP (NNP Rex) ) (. !) )) ( (INTJ (UH Yes) ))

(TOP (S=2 (VP (VB Run))))
"""


OUTERMOST = ("", "TOP", "ROOT", "S1", "VROOT", "root")


def prepared(text: str) -> str | None:
    tree = prepare(parse_tree(text))
    return None if tree is None else write_tree(tree)


def test_a_file_of_trees_over_several_lines(tmp_path: Path) -> None:
    (tmp_path / "file.mrg").write_text(FILE)
    trees = [prepare(tree) for tree in read_treebank(tmp_path / "file.mrg")]
    assert [tree and write_tree(tree) for tree in trees] == [
        "(TOP (S (NP (DT The) (NN dog)) (VP (VBZ seems) (S (VP (TO to) (VP (VB run))))) (. .)))",
        "(TOP (FRAG (NP (NNP Rex)) (. !)))",
        "(TOP (INTJ (UH Yes)))",
        "(TOP (S (VP (VB Run))))",
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("( (S (NN dog)) )\n\n( (S (NN cat) )\n", 3),
        ("( (S (NN dog)) )\n( (S (NN cat))))\n", 2),
        ("\n( (S\n(NP) (NN cat)))\n", 2),
        ("Pierre Vinken\n", 1),
    ],
)
def test_a_malformed_tree_is_named_by_the_line_where_it_begins(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "file.mrg").write_text(text)
    with pytest.raises(UserError, match=f"file.mrg, line {line}: .*bracketed trees"):
        list(read_treebank(tmp_path / "file.mrg"))


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        # Tags and chains of one label stay.
        ("( (NP-1 (NP (-LRB- -LRB-) (NN-X dog))))", "(TOP (NP (NP (-LRB- -LRB-) (NN-X dog))))"),
        # Names of the outermost bracket, in which several trees stay together.
        *((f"({root} (S (NN a) (S1 (NN b))))", "(TOP (S (NN a) (S1 (NN b))))") for root in OUTERMOST),
        ("( (S (NN a)) (. .) )", "(TOP (S (NN a)) (. .))"),
        ("( (ROOT (S (NN a))))", "(TOP (S (NN a)))"),
        ("( (ROOT a))", "(TOP (ROOT a))"),
        # Nothing but empty elements.
        ("( (S (NP (-NONE- *)) (VP (-NONE- *?*))))", None),
    ],
)
def test_a_tree_is_prepared(tree: str, expected: str | None) -> None:
    assert prepared(tree) == expected


def test_constituents_of_two_words_and_more() -> None:
    tree = parse_tree(
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (PRP it)) (NP (DT a) (NN b)))) (. .)))"
    )
    assert [write_tree(constituent) for constituent in constituents(tree)] == [
        "(TOP (VP (VBZ sees) (NP (NP (PRP it)) (NP (DT a) (NN b)))))",
        "(TOP (NP (NP (PRP it)) (NP (DT a) (NN b))))",
        "(TOP (NP (DT a) (NN b)))",
        "(TOP (NP (DT the) (NN dog)))",
    ]
    several = parse_tree("(TOP (NP (DT the) (NN dog)) (. .))")
    assert [write_tree(constituent) for constituent in constituents(several)] == [
        "(TOP (NP (DT the) (NN dog)))"
    ]


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_wsj_as_folders_or_files(tmp_path: Path) -> None:
    touch(
        tmp_path,
        "02/wsj_0202.mrg",
        "02/wsj_0201.mrg",
        "02/._wsj_0201.mrg",
        "03.mrg",
        "wsj_04.mrg",
        "05/WSJ_0501.MRG",
        "05/wsj_0502.mrg.gz",
        "06.MRG.xz",
        "07/wsj_0701.mrg",
    )
    found = [str(path.relative_to(tmp_path)) for path in wsj_files(str(tmp_path), range(2, 7))]
    assert found == [
        *("02/wsj_0201.mrg", "02/wsj_0202.mrg", "03.mrg", "wsj_04.mrg"),
        *("05/WSJ_0501.MRG", "05/wsj_0502.mrg.gz", "06.MRG.xz"),
    ]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("02.mrg", r"02.mrg and .*wsj_0201.mrg are of one section; remove one"),
        ("02/wsj_0201.mrg.gz", r"wsj_0201.mrg and .*wsj_0201.mrg.gz are of one section; remove one"),
        ("02/WSJ_0201.MRG", r"WSJ_0201.MRG and .*wsj_0201.mrg are of one section; remove one"),
        *(
            (f"02/{name}", f"{name}: not called as articles of section 02 are")
            for name in ("wsj_2301.mrg", "wsj_0201-copy.mrg", "wsj_0202.prd", "wsj_0202.mrg.zip")
        ),
    ],
)
def test_no_tree_of_a_section_is_read_twice_or_left_out(tmp_path: Path, other: str, message: str) -> None:
    touch(tmp_path, "02/wsj_0201.mrg", other)
    with pytest.raises(UserError, match=message):
        wsj_files(str(tmp_path), [2])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["WSJ/02/WSJ_0201.MRG"], "has WSJ; rename them, or give the folder that has the sections 02 to 23"),
        (["2/wsj_0201.mrg", *"abcd"], "has 2, a, b and 2 more; "),
        (["02/wsj_0201.prd"], "02 has wsj_0201.prd; "),
    ],
)
def test_the_owner_of_a_treebank_is_told_what_was_found(
    tmp_path: Path, names: list[str], message: str
) -> None:
    touch(tmp_path, *names)
    with pytest.raises(UserError, match=message) as error:
        wsj_files(str(tmp_path), [2])
    assert "LDC" not in str(error.value)


@pytest.mark.parametrize("folder", ["", "wsj", "nowhere"])
def test_without_the_treebank_the_message_says_what_to_do(tmp_path: Path, folder: str) -> None:
    (tmp_path / "wsj").mkdir()
    with pytest.raises(UserError, match=r"LDC99T42.*treebank=FOLDER.*scale=small"):
        wsj_files(str(tmp_path / folder) if folder else "", [22])


def test_trees_without_a_word_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text("( (S (-NONE- *)) )\n( (NN dog) )\n")
    done = tiny.run_captured("prepare_treebank", tmp_path / "a.mrg", "--output", tmp_path / "out")
    note = f"note: {tmp_path}/a.mrg, with the files after it: 1 of 2 trees have no word, and are left out\n"
    assert done.stderr == "1 trees; left out: 1 without a word\n" + note
    fewer = tiny.run_captured(
        "prepare_treebank", tmp_path / "a.mrg", "--most", 2, "--output", tmp_path / "out"
    )
    assert fewer.stderr.startswith(
        f"note: {tmp_path / 'a.mrg'}: 1 trees, with the files after it, and 2 are asked for"
    )
    (tmp_path / "a.mrg").write_text("( (S (-NONE- *)) )\n")
    error = tiny.error("prepare_treebank", tmp_path / "a.mrg", "--output", tmp_path / "other")
    assert "a.mrg: no tree with a word" in error
    assert not (tmp_path / "other").exists()


def test_a_deep_tree_is_prepared() -> None:
    deep = "( " + "(X " * 5000 + "(NN dog)" + ")" * 5001
    tree = prepare(parse_tree(deep))
    assert tree is not None
    assert write_tree(tree) == "(TOP " + deep[2:]


def test_a_compressed_treebank_with_a_mark(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_bytes(gzip.compress("\ufeff(TOP (S (NN a)))\n".encode()))
    assert [str(tree) for tree in read_treebank(tmp_path / "a.mrg")] == ["(TOP (S (NN a)))"]
