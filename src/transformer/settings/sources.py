"""The files of resources/sources.yaml that make up the corpora of a scale."""

from typing import Any

from transformer.common.errors import UserError, unknown
from transformer.corpus.registry import file_and_member, tree_members
from transformer.settings.config_files import LanguagePair, Parsing, ScaleFile, Sources

SPLITS = ("train", "dev", "test")
GENERATED = ("en-de", "en-fr")  # by the project's grammar

# (pair, split, side) → the files whose lines are joined in this order.  Each is an entry of the registry's `files`,
# with the name of its `source` and, for an archive, the `member` to read.
Downloads = dict[tuple[str, str, str], list[dict[str, Any]]]


def find_downloads(scale: ScaleFile, sources: dict[str, Any], file: str) -> Downloads:
    """Return the files of every corpus that a scale downloads; ``file`` is the scale's file, for messages.

    Raises UserError when a source is unknown or lacks what the scale reads from it.
    """
    found: Downloads = {}
    for pair, own in scale.translation.items():
        found |= _translation(pair, own, scale.grammar is not None, sources, f"{file}: translation.{pair}")
    if scale.parsing:
        first = next(iter(scale.translation))
        found |= _trees(scale.parsing, first, scale.grammar is not None, sources, f"{file}: parsing")
    tests = {own.source.test for own in scale.translation.values() if isinstance(own.source, Sources)}
    if not tests <= set(scale.corpus.split(", ")):
        raise UserError(
            f"{file}: corpus: tables call the corpus '{scale.corpus}', but the test set is "
            f"{', '.join(sorted(tests))}; add its name, after a comma"
        )
    return found


def _translation(
    pair: str, own: LanguagePair, is_generated: bool, sources: dict[str, Any], where: str
) -> Downloads:
    """Return the files of a language pair; none when its corpus is generated or the user's own."""
    if [is_generated, own.source is not None, own.files is not None].count(True) != 1:
        raise UserError(
            f"{where}: give either `grammar` or this pair's `source` or `files`, to generate it, to download it or "
            "to read your own"
        )
    if is_generated and pair not in GENERATED:
        raise UserError(f"{where}: {unknown('language pair of the grammar', pair, GENERATED)}")
    if own.source is None:
        return {}
    if isinstance(own.source, Sources):
        names = {"train": own.source.train, "dev": own.source.dev, "test": [own.source.test]}
    else:
        names = {split: [own.source] for split in SPLITS}
    return {
        (pair, split, side): [
            _side(sources, name, pair, split, side, f"{where}.source") for name in names[split]
        ]
        for split in SPLITS
        for side in pair.split("-")
    }


def _trees(parsing: Parsing, pair: str, is_generated: bool, sources: dict[str, Any], where: str) -> Downloads:
    """Return the files of the treebank and of the raw English for silver trees, unless generated or the user's own."""
    found: Downloads = {}
    name, text = parsing.source, parsing.silver.text
    if name == "grammar" and not is_generated:
        raise UserError(f"{where}.source: the trees of the grammar need `grammar`; name a treebank")
    if name not in ("grammar", "wsj"):
        treebanks = [name for name, source in sources.items() if "trees" in source]
        if name not in treebanks:
            raise UserError(f"{where}.source: {unknown('treebank', name, ['grammar', 'wsj', *treebanks])}")
        for split, trees in sources[name]["trees"].items():
            parts = [_part(sources, name, trees["file"], member) for member in tree_members(trees)]
            found["trees", split, "trees"] = parts
    where = f"{where}.silver.text"
    if text == "grammar" and not is_generated:
        raise UserError(f"{where}: the text of the grammar needs `grammar`; name a source and its split")
    if not isinstance(text, str):
        parts = [_side(sources, part.source, pair, part.split, "en", where) for part in text]
        found["silver", "text", "en"] = parts
    return found


def _side(sources: dict[str, Any], name: str, pair: str, split: str, side: str, where: str) -> dict[str, Any]:
    """Return the file that source ``name`` has for one side of a split."""
    if name not in sources:
        raise UserError(f"{where}: {unknown('source', name, sources)}")
    source = sources[name]
    splits = source.get("splits", {}) | source.get("pairs", {}).get(pair, {})
    if side not in splits.get(split, {}):
        raise UserError(f"{where}: {name} has no {split} split in {side}")
    return _part(sources, name, *file_and_member(splits[split][side]))


def _part(sources: dict[str, Any], name: str, file: str, member: str | None) -> dict[str, Any]:
    """Return the registry's entry of ``file``, with its source and member.  Raises UserError when it has none."""
    entries = {entry["path"]: entry for source in sources.values() for entry in source["files"]}
    if file not in entries:
        raise UserError(f"sources.yaml: {name}: {file} is not among the files; add it")
    return entries[file] | {"source": name, "member": member}
