"""The file of a scale, with what it inherits from other scales."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer.common.checked import checked
from transformer.common.errors import UserError, unknown
from transformer.common.yaml_files import read_yaml
from transformer.settings.config_files import PARSERS, Clean, Command, ScaleFile
from transformer.settings.gone import refuse_elsewhere, refuse_gone
from transformer.settings.merging import DIVISIBLE, SomeSettings

NOT_SCALES = {"config", "runs", "sources"}  # other files of config/
NAME = re.compile(r"\w[\w. +-]*")  # also that of folders, which Snakemake's patterns contain
# Folders in results/ and data/ beside those of scales.
TAKEN = {"curves", "figures", "downloads", "own", "unpacked"}
# What a scale says about its own corpus, besides `clean.max_pairs`.  A scale that inherits it but has language pairs of
# its own does without.
OF_THE_CORPUS = ("grammar", "expected", "attention", "parsing", "licence", "citation")
# Sections that replace the inherited one; of others, keys are replaced singly.
WHOLE = ("translation", "attention")


@dataclass(frozen=True)
class Scale:
    """What a scale says, checked."""

    keys: ScaleFile  # with what it inherits
    label: str  # what messages call it
    clean: dict[str, Clean]  # language pair → the limits for its training text
    files: tuple[str, ...]  # from which it was read; an earlier one counts more


def read_scale(name: str, root: Path | str, where: str) -> Scale:
    """Read the scale that is called ``name``; messages say that ``where`` names it.

    Raises UserError when there is no such scale, when scales inherit each other in a circle, and when a file has a key
    or a value that it cannot have.
    """
    files: list[str] = []
    content = _with_inherited(name, root, where, files)
    return _checked(content, files)


def _checked(content: Any, files: Sequence[str]) -> Scale:
    label = files[0]
    refuse_gone(content, label)
    refuse_elsewhere(content, label, Command.model_fields.keys() - ScaleFile.model_fields)
    keys = checked(ScaleFile, content, label)
    checked(SomeSettings, keys.settings, f"{label}: settings")
    for run, changes in (keys.runs or {}).items():
        checked(SomeSettings, changes, f"{label}: runs.{run}")
    for key in keys.shrink:
        if key not in DIVISIBLE:
            raise UserError(f"{label}: shrink: {unknown('key', key, DIVISIBLE)}")
    for key in keys.expected or ():
        if key not in (known := [*keys.translation, *PARSERS.values()]):
            raise UserError(f"{label}: expected: {unknown('language pair', key, known)}")
    clean = {
        pair: checked(Clean, content["clean"] | (own.clean or {}), f"{label}: translation.{pair}.clean")
        for pair, own in keys.translation.items()
    }
    return Scale(keys, label, clean, tuple(files))


def _with_inherited(name: str, root: Path | str, where: str, files: list[str]) -> Any:
    """Return the content of a scale's file with what it inherits, and add the files that are read to ``files``."""
    scales = scale_names(root)
    if name not in scales:
        # A queued experiment of DVC runs in a copy of what git tracks.
        original, is_copy, _ = os.path.abspath(root).partition("/.dvc/tmp/exps/")
        if is_copy and Path(original, "config", f"{name}.yaml").exists():
            raise UserError(
                f"{where}: git does not track config/{name}.yaml, so DVC's copy of the project lacks it; git add it, "
                "and queue again"
            )
        raise UserError(f"{where}: {unknown('scale', name, scales)}")
    _check_name(name, where)
    label = f"config/{name}.yaml"
    if label in files:
        raise UserError(f"{where}: {name} would inherit itself; name another scale")
    above = len(files)
    files.append(label)
    content = read_yaml(Path(root, label))
    if isinstance(content, dict) and "inherits" in content:
        own = {key: value for key, value in content.items() if key != "inherits"}
        inherited = _with_inherited(content["inherits"], root, f"{label}: inherits", files)
        # A mistake in it is said of its file.
        _checked(inherited, files[above + 1 :])
        if empty := [key for key, value in own.items() if value == {} and inherited.get(key)]:
            raise UserError(
                f"{label}: {empty[0]}: {{}} changes nothing, since inherited keys are replaced one by one; name them"
            )
        content = _inherit(inherited, own, label)
    return content


def _inherit(inherited: Mapping[str, Any], own: dict[str, Any], label: str) -> dict[str, Any]:
    """Return the content of a scale's file, called ``label``, with what it inherits."""
    if not isinstance(own.get("translation"), dict):
        return joined(inherited, own, WHOLE)
    if "corpus" not in own:
        raise UserError(
            f"{label}: missing key 'corpus', the name in captions; this scale has files of its own"
        )
    subwords = next(iter(inherited["translation"].values()))["subwords"]
    pairs = {
        pair: {"subwords": subwords} | values if isinstance(values, dict) else values
        for pair, values in own["translation"].items()
    }
    kept = {key: value for key, value in inherited.items() if key in own or key not in OF_THE_CORPUS}
    kept["clean"] = {key: value for key, value in inherited["clean"].items() if key != "max_pairs"}
    if "expected" in kept:
        kept["expected"] = {key: size for key, size in kept["expected"].items() if key in PARSERS.values()}
    return joined(kept, own | {"translation": pairs}, WHOLE)


def joined(before: Any, own: Any, whole: Sequence[str] = ()) -> Any:
    """Return ``before`` as ``own`` changes it: mappings are joined key by key, and anything else is replaced.

    The values of the keys in ``whole`` are replaced as well, wherever they are.
    """
    if not isinstance(before, Mapping) or not isinstance(own, dict):
        return own
    return dict(before) | {
        key: value if key in whole else joined(before.get(key), value, whole) for key, value in own.items()
    }


def _check_name(name: str, where: str) -> None:
    """Raise UserError when a scale cannot have its name, which is also that of folders."""
    if not NAME.fullmatch(name):
        raise UserError(
            f"{where}: a scale cannot be called {name!r}: use letters, digits, blanks, '.', '_', '+', '-', and begin "
            "with a letter or a digit"
        )
    if name in TAKEN:
        raise UserError(f"{where}: a scale cannot be called {name!r}, since another folder has that name")


def scale_names(root: Path | str = ".") -> list[str]:
    """Return the names of all scales of the project ``root``."""
    return sorted({path.stem for path in Path(root).glob("config/*.yaml")} - NOT_SCALES)


def pairs_of_all_scales(root: Path | str) -> set[str]:
    """Return the language pairs that any scale in config/ has; a file that cannot be read has none."""
    pairs: set[str] = set()
    for name in scale_names(root):
        with suppress(UserError, KeyError, TypeError):
            pairs |= set(read_yaml(Path(root, "config", f"{name}.yaml"))["translation"])
    return pairs
