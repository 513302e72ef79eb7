"""The files of resources/sources.yaml that make up the corpora of a scale."""

from typing import Any

from transformer.common.errors import UserError, unknown
from transformer.corpus.registry import file_and_member, tree_members

SPLITS = ("train", "dev", "test")
GENERATED = ("en-de", "en-fr")  # by the project's grammar

# (pair, split, side) → the files whose lines are joined in this order.  Each is an entry of the registry's `files`,
# with the name of its `source` and, for an archive, the `member` to read.  The split of a further test set is `tests/`
# and the name of its source.
Downloads = dict[tuple[str, str, str], list[dict[str, Any]]]


def find_downloads(scale: dict[str, Any], sources: dict[str, Any], file: str) -> Downloads:
    """Return the files of every corpus that a scale downloads; ``file`` is the scale's file, for messages.

    Raises UserError when a source is unknown or lacks what the scale reads from it.
    """
    found: Downloads = {}
    for pair, values in scale["translation"].items():
        found |= _translation(pair, values, scale, sources, f"{file}: translation.{pair}")
    if "parsing" in scale:
        found |= _treebank(scale, sources, f"{file}: parsing.source")
        found |= _silver_text(scale, sources, f"{file}: parsing.silver.text")
    tests = {values["source"]["test"] for values in scale["translation"].values() if _is_joined(values)}
    if not tests <= set(scale["corpus"].split(", ")):
        raise UserError(
            f"{file}: corpus: tables call the corpus '{scale['corpus']}', but the test set is "
            f"{', '.join(sorted(tests))}; add its name, after a comma"
        )
    return found


def _is_joined(values: dict[str, Any]) -> bool:
    """Return whether a language pair names the sources of each split."""
    return isinstance(values.get("source"), dict)


def _translation(
    pair: str, values: dict[str, Any], scale: dict[str, Any], sources: dict[str, Any], where: str
) -> Downloads:
    """Return the files of a language pair; none when its corpus is generated or the user's own."""
    if ["grammar" in scale, "source" in values, "files" in values].count(True) != 1:
        raise UserError(
            f"{where}: give either `grammar` or this pair's `source` or `files`, to generate it, to download it or "
            "to read your own"
        )
    if "grammar" in scale and pair not in GENERATED:
        raise UserError(f"{where}: {unknown('language pair of the grammar', pair, GENERATED)}")
    if "source" not in values:
        return {}
    named = values["source"]
    if _is_joined(values):
        names = named | {"test": [named["test"]]}
    else:
        names = {split: [named] for split in SPLITS}
    return {
        (pair, split, side): [
            _side(sources, name, pair, split, side, f"{where}.source") for name in names[split]
        ]
        for split in SPLITS
        for side in pair.split("-")
    }


def _treebank(scale: dict[str, Any], sources: dict[str, Any], where: str) -> Downloads:
    """Return the files of each split of the treebank; none when it is generated or the user's own."""
    name = scale["parsing"]["source"]
    if name == "grammar" and "grammar" not in scale:
        raise UserError(f"{where}: the trees of the grammar need `grammar`; name a treebank")
    if name in ("grammar", "wsj"):
        return {}
    treebanks = [name for name, source in sources.items() if "trees" in source]
    if name not in treebanks:
        raise UserError(f"{where}: {unknown('treebank', name, ['grammar', 'wsj', *treebanks])}")
    return {
        ("trees", split, "trees"): [
            _part(sources, name, trees["file"], member) for member in tree_members(trees)
        ]
        for split, trees in sources[name]["trees"].items()
    }


def _silver_text(scale: dict[str, Any], sources: dict[str, Any], where: str) -> Downloads:
    """Return the files of raw English for silver trees; none when it is generated or the user's own."""
    text, pair = scale["parsing"]["silver"]["text"], next(iter(scale["translation"]))
    if text == "grammar" and "grammar" not in scale:
        raise UserError(f"{where}: the text of the grammar needs `grammar`; name a source and its split")
    if isinstance(text, str):
        return {}
    parts = [_side(sources, part["source"], pair, part["split"], "en", where) for part in text]
    return {("silver", "text", "en"): parts}


def _side(sources: dict[str, Any], name: str, pair: str, split: str, side: str, where: str) -> dict[str, Any]:
    """Return the file that source ``name`` has for one side of a split."""
    if name not in sources:
        raise UserError(f"{where}: {unknown('source', name, sources)}")
    splits = _splits(sources[name], pair)
    if side not in splits.get(split, {}):
        raise UserError(f"{where}: {name} has no {split} split in {side}")
    return _part(sources, name, *file_and_member(splits[split][side]))


def _splits(source: dict[str, Any], pair: str) -> dict[str, Any]:
    """Return the splits that a source has for a language pair, with the file of each side."""
    splits: dict[str, Any] = source.get("splits", {}) | source.get("pairs", {}).get(pair, {})
    return splits


def _part(sources: dict[str, Any], name: str, file: str, member: str | None) -> dict[str, Any]:
    """Return the registry's entry of ``file``, with its source and member.  Raises UserError when it has none."""
    entries = {entry["path"]: entry for source in sources.values() for entry in source["files"]}
    if file not in entries:
        raise UserError(f"sources.yaml: {name}: {file} is not among the files; add it")
    return entries[file] | {"source": name, "member": member}
