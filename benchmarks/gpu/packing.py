"""The archive that takes the data and the settings of trainings to a machine without network, Snakemake or schemas.

It holds ``runs.json``, for each language pair a folder with the tokenized datasets, the subwords and the text of the
development and test sets, and packages of pure Python that the scoring needs.
"""

import importlib.metadata
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transformer.common.errors import UserError
from transformer.common.files import atomic_path, read_json, write_json

FORMAT = 1
PACKAGES = ("sacremoses",)
SPLITS = ("train", "dev", "test")
SEEDS = (2, 3)  # those beside the configured one


@dataclass(frozen=True)
class Run:
    """A training that a table needs, with all settings that the scripts are given."""

    run: str
    pair: str
    config: dict[str, Any]  # the content of config.json
    average: int  # checkpoints
    decoding: dict[str, Any]
    max_tokens: int
    averaged: bool  # whether Table 2 needs it: the averaged model on the test set
    last: bool  # whether Table 3 needs it: the last checkpoint on the development set


def pack_scale(output: Path, scale: str, root: Path) -> None:
    """Write the archive of a scale, whose data Snakemake has made.  Raises UserError when data are missing."""
    # The settings are resolved here, and the other machine gets them so.
    from transformer.settings.settings import load_settings

    settings = load_settings({"scale": scale, "seed": 1}, root)
    pairs = {}
    for pair in settings.pairs:
        missing = [path for path in files_of(root / "data" / scale, pair).values() if not path.exists()]
        if missing:
            raise UserError(
                f"{missing[0]}: no such file; make it with: snakemake --cores all --config scale={scale} -- "
                + " ".join(f"data/{scale}/tokenized/{pair}/{split}.json" for split in SPLITS)
            )
        pairs[pair] = files_of(root / "data" / scale, pair)
    write_pack(output, list(runs_of(settings)), pairs)


def runs_of(settings: Any) -> Iterator[Run]:
    """Yield the trainings, the most valuable first: Table 2, Table 3, the models of the 2017 code, more seeds."""
    from transformer.settings.runs_file import T2T_RUNS

    of_table3 = [run for run in settings.runs if run not in settings.project_runs]
    first, *others = settings.pairs

    def make(run: str, pair: str) -> Run:
        name = run.partition("-seed")[0]
        return Run(
            run,
            pair,
            settings.run(run, pair),
            settings.averaging(run, pair)["average_checkpoints"],
            settings.decoding(run, pair),
            settings.hardware(run, pair)["max_tokens"],
            averaged=name in ("base", "big") or name in settings.project_runs,
            last=pair == first and name in of_table3,
        )

    table2 = [(run, pair) for run in ("base", "big") for pair in (first, *others)]
    table3 = [(run, first) for run in of_table3 if (run, first) not in table2]
    extra = [(run, pair) for run in settings.project_runs if run in T2T_RUNS for pair in (first, *others)]
    for run, pair in (*table2, *table3, *extra):
        yield make(run, pair)
    for seed in SEEDS:
        for run, pair in (*table2, *table3):
            yield make(f"{run}-seed{seed}", pair)


def files_of(data: Path, pair: str) -> dict[str, Path]:
    """Return the files of a language pair by their names in the archive."""
    source, target = pair.split("-")
    tokenized, clean = data / "tokenized" / pair, data / "clean" / pair
    endings = (
        "json",
        "sha256",
        *(f"{side}.{kind}" for side in ("source", "target") for kind in ("tokens", "offsets")),
    )
    files = {
        f"tokenized/{split}.{ending}": tokenized / f"{split}.{ending}"
        for split in SPLITS
        for ending in endings
    }
    texts = {
        f"{split}.{language}": clean / f"{split}.{language}"
        for split in SPLITS[1:]
        for language in (source, target)
    }
    return {"subwords.model": data / "subwords" / pair / "subwords.model", **files, **texts}


def write_pack(output: Path, runs: Sequence[Run], pairs: Mapping[str, Mapping[str, Path]]) -> None:
    """Write the archive, and print its size."""
    with tempfile.TemporaryDirectory() as folder, atomic_path(output) as temporary:
        described = Path(folder, "runs.json")
        write_json(described, {"format": FORMAT, "runs": [asdict(run) for run in runs]})
        with tarfile.open(temporary, "w:gz") as archive:
            archive.add(described, "runs.json")
            for pair, files in pairs.items():
                for name, path in files.items():
                    archive.add(path.resolve(), f"{pair}/{name}")
            for package in PACKAGES:
                for file in importlib.metadata.files(package) or ():
                    if file.suffix != ".pyc" and ".." not in file.parts:
                        archive.add(file.locate(), f"packages/{file}")
    print(f"{output}: {output.stat().st_size / 2**20:.1f} MiB, {len(runs)} trainings, {', '.join(pairs)}")


def unpack(pack: Path, folder: Path) -> None:
    """Unpack the archive unless that has been done.  Raises UserError when it is none."""
    if (folder / "runs.json").exists():
        return
    try:
        with tarfile.open(pack) as archive:
            members = archive.getmembers()
            # The list of runs comes last, so that it is there only if all is there.
            members.sort(key=lambda member: member.name == "runs.json")
            archive.extractall(folder, members, filter="data")
    except (tarfile.TarError, FileNotFoundError) as error:
        raise UserError(f"{pack}: not an archive of --pack ({error})") from None
    read_packed_runs(folder)


def read_packed_runs(folder: Path) -> list[Run]:
    """Return the trainings of an unpacked archive.  Raises UserError when it has another format."""
    content = read_json(folder / "runs.json")
    try:
        if content["format"] != FORMAT:
            raise ValueError
        return [Run(**run) for run in content["runs"]]
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{folder}: not an archive of format {FORMAT}; make it again with --pack") from None


def tiny_pack(output: Path, folder: Path) -> None:
    """Write an archive with two trainings of a few steps on a few generated sentences, for a rehearsal."""
    import random

    from transformer.dataset.tokenized import TokenizedDatasetWriter
    from transformer.subwords.learn_subwords import learn_subwords
    from transformer.subwords.subwords import load_subwords

    words = "a dog runs far and cats sleep long while birds sing".split()
    rng = random.Random(1)
    files = files_of(folder, "en-de")
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    texts = {}
    for split, count in zip(SPLITS, (80, 6, 6), strict=True):
        source = [" ".join(rng.choices(words, k=rng.randint(2, 6))) for _ in range(count)]
        target = [" ".join(reversed(line.split())) for line in source]
        texts[split] = source, target
        for language, lines in zip(("en", "de"), texts[split], strict=True):
            path = folder / "clean" / "en-de" / f"{split}.{language}"
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    clean = [folder / "clean" / "en-de" / f"train.{language}" for language in ("en", "de")]
    learn_subwords("bpe", clean, 290, files["subwords.model"].parent, seed=1)
    subwords = load_subwords(files["subwords.model"])
    for split, sides in texts.items():
        prefix = folder / "tokenized" / "en-de" / split
        with TokenizedDatasetWriter(prefix, subwords.vocab_size, subwords.sha256) as writer:
            for pair in zip(*sides, strict=True):
                writer.add(*([*subwords.encode(side), 1] for side in pair))
    runs = [tiny_run("base", averaged=True, last=False), tiny_run("C-N2", averaged=False, last=True)]
    write_pack(output, runs, {"en-de": files})


def tiny_run(name: str, averaged: bool, last: bool) -> Run:
    """Return a training of eight steps with the keys of the project's own config.json."""
    from transformer.settings.merging import DEFAULTS as keys

    model = {
        key: keys[key]
        for key in ("positions", "attention_bias", "attention_dropout", "relu_dropout", "tied_softmax")
    }
    model |= {
        "N": 1,
        "d_model": 16,
        "d_ff": 24,
        "h": 2,
        "d_k": 8,
        "d_v": 8,
        "dropout": 0.1,
        "max_length": keys["max_positions"],
    }
    training = {
        "steps": 8, "warmup_steps": 4, "learning_rate_scale": 1.0, "batch_tokens": 150, "max_length": 40,
        "label_smoothing": keys["label_smoothing"], "adam_beta1": keys["adam_beta1"], "adam_beta2": keys["adam_beta2"],
        "adam_epsilon": keys["adam_epsilon"], "checkpoint_every_steps": 2,
        "keep_checkpoints": 2, "validate_every_steps": 4, "numerics": "fp32", "threads": 1, "seed": 1,
    }  # fmt: skip
    config = {
        "run": name, "pair": "en-de", "scale": "tiny", "corpus": "generated words", "seed": 1,
        "model": model, "training": training,
    }  # fmt: skip
    decoding = {key: keys[key] for key in ("beam_size", "alpha", "max_extra_tokens")}
    return Run(name, "en-de", config, 2, decoding, 150, averaged, last)
