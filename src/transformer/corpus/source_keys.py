"""The keys of resources/sources.yaml and of a user's config/sources.yaml, each declared once."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from transformer.common.checked import Checked, Text, key


def _stays_within(path: str) -> str:
    names = path.split("/")
    if {".", ".."} & set(names) or max(map(len, names)) > 200:
        raise PydanticCustomError(
            "path", "a relative path that does not leave its folder, with names of at most 200 characters"
        )
    return path


PLAIN = "[A-Za-z0-9_][A-Za-z0-9_./-]*"
Path = Annotated[str, Field(max_length=1000, pattern=f"^{PLAIN}$"), AfterValidator(_stays_within)]
Numbered = Annotated[
    str,
    Field(max_length=1000, pattern=rf"^{PLAIN}\{{:0[1-9]\}}[A-Za-z0-9_.-]*$"),
    AfterValidator(_stays_within),
]
Url = Annotated[str, Field(pattern="^https?://")]
Side = Annotated[str, Field(pattern="^[a-z]{2,3}$")]
Pair = Annotated[str, Field(pattern="^[a-z]{2,3}-[a-z]{2,3}$")]
Split = Literal["train", "dev", "test"]
Number = Annotated[int, Field(ge=0, le=99_999)]
Sum = Annotated[str, Field(pattern="^(sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$")]
Name = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$", max_length=100)]


class Member(Checked):
    """A file in an archive."""

    file: str = key("an archive, one of `files`")
    member: Path = key(
        "the path in it, which does not leave its folder, with names of at most 200 characters"
    )


class Trees(Checked):
    """Numbered members of an archive."""

    file: str = key("an archive, one of `files`")
    member: Numbered = key("a path in it in which a number such as {:04} has so many digits")
    first: Number = key("the first number")
    last: Number = key("the last number")


class Treebank(Checked):
    """The numbered members of each split."""

    train: Trees = key("of the training split")
    dev: Trees = key("of the development split")
    test: Trees = key("of the test split")


class SourceFile(Checked):
    """A file to download."""

    path: Path = key("its place below `data/downloads/` and in a mirror")
    url: Url = key("its public address")
    sum: Sum = key("the checksum that each download must have: `sha256:…` or `md5:…`")


Sides = dict[Side, str | Member]


class Source(Checked):
    """A source of text or trees."""

    title: Text = key("what the source is")
    homepage: Url = key("a URL")
    licence: Text = key("the licence, which tables and model cards repeat")
    citation: Text = key("the publication to cite")
    splits: dict[Split, Sides] | None = key(
        "by splits and languages, a file of `files`, or an archive and the path in it", None
    )
    pairs: dict[Pair, dict[Split, Sides]] | None = key(
        "the same by language pairs, where the sides differ between these", None
    )
    trees: Treebank | None = key("of a treebank, the members of each split", None)
    files: Annotated[list[SourceFile], Field(min_length=1)] = key("the files to download")


SOURCES = Annotated[dict[Name, Source], Field(min_length=1)]
