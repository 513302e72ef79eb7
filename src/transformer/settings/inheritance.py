"""The file of a scale, with what it inherits from the file of another."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.project import config_file, config_names
from transformer.common.yaml_files import Schema, read_yaml, unknown
from transformer.settings.free_text import check_scale_name

NOT_SCALES = {"config", "runs", "sources", "sources.lock", "literature", "devices"}  # other files of config/
# What a scale says about its own corpus.  A scale that inherits it but has language pairs of its own does without.
OF_THE_CORPUS = ("grammar", "further_tests", "expected", "attention", "parsing", "licence", "citation")
WHOLE = (
    "translation",
    "attention",
)  # sections that replace the inherited one; of others, keys are replaced singly


def read_scale(
    name: str, schema: Schema, root: Path | str, where: str, heirs: Sequence[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return the content of a scale's file, checked, and the names in config/ of this file and of those it inherits.

    Messages say that ``where`` names the scale; ``heirs`` are the scales that inherit it.  Raises UserError when there
    is no such scale, when scales inherit each other in a circle, and when the content breaks the schema.
    """
    scales = scale_names(root)
    if name not in scales:
        raise UserError(f"{where}: {unknown('scale', name, scales)}")
    check_scale_name(name, where)
    if name in heirs:
        raise UserError(f"{where}: {' inherits '.join([*heirs, name])}; a scale cannot inherit itself")
    file = f"{name}.yaml"
    own = _with_norwegian(read_yaml(config_file(file, root)))
    place = f"config/{file}"
    if not isinstance(own, dict) or "inherits" not in own:
        schema.check(own, place)
        return own, [file]
    parent = own.pop("inherits")
    inherited, files = read_scale(parent, schema, root, f"{place}: inherits", [*heirs, name])
    content = _inherit(inherited, own, place)
    schema.check(content, place)
    return content, [file, *files]


def pairs_of_all_scales(root: Path | str) -> set[str]:
    """Return the language pairs that any scale in config/ has; a file that cannot be read has none."""
    pairs: set[str] = set()
    for name in scale_names(root):
        with suppress(UserError):
            content = _with_norwegian(read_yaml(config_file(f"{name}.yaml", root)))
            translation = content.get("translation") if isinstance(content, dict) else None
            pairs |= set(translation) if isinstance(translation, dict) else set()
    return pairs


def scale_names(root: Path | str = ".") -> list[str]:
    """Return the names of all scales, those of the working folder ``root`` and those of the project."""
    return sorted({name.removesuffix(".yaml") for name in config_names(root)} - NOT_SCALES)


def _inherit(inherited: Mapping[str, Any], own: dict[str, Any], place: str) -> dict[str, Any]:
    if not isinstance(own.get("translation"), dict):
        return _merged(inherited, own)
    if "corpus" not in own:
        raise UserError(
            f"{place}: missing key 'corpus', the name in captions; this scale has files of its own"
        )
    subwords = next(iter(inherited["translation"].values()))["subwords"]
    pairs = {
        pair: {"subwords": subwords} | values if isinstance(values, dict) else values
        for pair, values in own["translation"].items()
    }
    kept = {key: value for key, value in inherited.items() if key in own or key not in OF_THE_CORPUS}
    return _merged(kept, own | {"translation": pairs})


def _merged(inherited: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return both mappings in one: where both have a value, that of ``own``, or both merged if they are mappings."""
    result = dict(inherited)
    for key, value in own.items():
        before = result.get(key)
        if key not in WHOLE and isinstance(before, dict) and isinstance(value, dict):
            value = _merged(before, value)
        result[key] = value
    return result


def _with_norwegian(value: Any) -> Any:
    """Return the content of a file with the keys ``no``, a language code that YAML takes for a boolean, as text."""
    if isinstance(value, dict):
        return {"no" if key is False else key: _with_norwegian(item) for key, item in value.items()}
    return [_with_norwegian(item) for item in value] if isinstance(value, list) else value
