"""Build the micro project in several environments, and compare the bytes of everything that it makes.

    python tests/campaigns/determinism.py                    # two builds that vary everything, against a reference
    python tests/campaigns/determinism.py --only cores user  # one build for each of these
    python tests/campaigns/determinism.py --all              # one build for each variation

Each build is a copy of the project in ``--folder``, and a build that is there is not repeated: delete the folder after
a change of the code.  A file that differs is named, with the builds in which it differs.  If a build that varies
everything differs, ``--all`` shows which variation is at fault.

The micro project has portable numerics; ``processors.py`` varies the processor.

The user is varied if the campaign runs as root, and the locale by those that the machine has (``locale -a``).
"""

import argparse
import locale
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "micro"), str(ROOT / "src")]
from micro_project import copy_project  # noqa: E402

from transformer.verification.published import manifest  # noqa: E402

FIGURES = "architecture attention_block positional_encoding learning_rate training_curves parse_tree".split()
FIGURES += ["attention_long_distance", "attention_anaphora"]
TARGETS = [
    *(f"results/table{number}.{ending}" for number in (1, 2, 4) for ending in ("tex", "csv", "md")),
    *(f"results/figures/{name}.{ending}" for name in FIGURES for ending in ("pdf", "svg")),
    "results/plan.md",
]
NOBODY = 65534
LOCALES = ("tr_TR.ISO-8859-9", "tr_TR.UTF-8", "de_DE.UTF-8")  # i without a dot, a decimal comma, no UTF-8


@dataclass(frozen=True)
class Build:
    """The environment of one build; these are the values of the reference."""

    cores: int = 1
    folder: str = "project"
    umask: int = 0o022
    uid: int | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def varied(self, other: "Build") -> "Build":
        """Return this build with whatever ``other`` has changed."""
        changed = {
            name: value
            for name, value in vars(other).items()
            if name != "variables" and value != getattr(REFERENCE, name)
        }
        return replace(self, **changed, variables={**self.variables, **other.variables})


REFERENCE = Build(
    variables={"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "HOME": "{home}"}
)


def variations() -> dict[str, Build]:
    """Return what this machine can vary, by name."""
    found = {
        "cores": Build(cores=4),
        "folder": Build(folder="the folder's ä & %"),
        "C": Build(variables={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
        "time-zone": Build(variables={"TZ": "<+14>-14"}),
        "umask": Build(umask=0o077),
        "hash-seed": Build(variables={"PYTHONHASHSEED": "4294967295"}),
        # Snakemake itself wants a folder for its cache, see docs/environment.md.
        "no-home": Build(variables={"HOME": "/proc/nonexistent", "XDG_CACHE_HOME": "{project}/.cache"}),
        "read-only-home": Build(variables={"HOME": "/proc", "XDG_CACHE_HOME": "{project}/.cache"}),
        "no-bf16": Build(variables={"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_VNNI"}),
        "no-utf8-mode": Build(variables={"PYTHONUTF8": "0"}),
    }
    for name in filter(_exists, LOCALES):
        found[name] = Build(variables={"LC_ALL": name, "PYTHONUTF8": "0"})
    if os.geteuid() == 0:
        found["user"] = Build(uid=NOBODY)
    return found


def combined(found: Mapping[str, Build]) -> dict[str, Build]:
    """Return two builds in which everything differs from the reference."""
    names = [
        ["cores", "folder", "C", "time-zone", "umask", "hash-seed", "no-home", "user"],
        ["cores", "folder", *LOCALES[:1], "time-zone", "read-only-home", "no-bf16"],
    ]
    builds = {}
    for title, chosen in zip(("everything", "everything-else"), names, strict=True):
        build = REFERENCE
        for name in chosen:
            build = build.varied(found[name]) if name in found else build
        builds[title] = build
    return builds


def _exists(name: str) -> bool:
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_ALL, before)
    return True


def make(name: str, build: Build, folder: Path, targets: Sequence[str]) -> dict[str, str]:
    """Make ``targets`` as ``build`` says, unless that was done; return path → sha256 of all that is below it."""
    project = folder / name / build.folder
    done = folder / name / "done"
    if not done.exists():
        project.parent.mkdir(parents=True, exist_ok=True)
        if not project.exists():
            copy_project(project)
        home = folder / name / "home"
        home.mkdir(exist_ok=True)
        _run(project, home, build, targets, folder / name / "log")
        done.write_text("")
    return manifest("micro", project)


def _run(project: Path, home: Path, build: Build, targets: Sequence[str], log: Path) -> None:
    command = [sys.executable, "-m", "snakemake", "--cores", str(build.cores), *targets]
    command += ["--config", "scale=micro"]
    if build.uid is not None:
        for path in (project, home):
            subprocess.run(["chown", "-R", f"{build.uid}:{build.uid}", path], check=True)
        # Python itself may lie in a folder that only root can read; to write, this user needs a right of its own.
        rights = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        command = [
            "setpriv",
            f"--reuid={build.uid}",
            f"--regid={build.uid}",
            "--clear-groups",
            *rights,
            *command,
        ]
    variables = {key: value.format(home=home, project=project) for key, value in build.variables.items()}
    kept = {key: os.environ[key] for key in ("PATH", "LOCPATH", "OMP_NUM_THREADS") if key in os.environ}
    started = time.monotonic()
    with open(log, "wb") as file:
        status = subprocess.run(
            command,
            cwd=project,
            env=kept | variables,
            umask=build.umask,
            stdout=file,
            stderr=subprocess.STDOUT,
        ).returncode
    if status:
        sys.exit(f"error: {shlex.join(command)} failed in {project}; see {log}")
    print(f"  {time.monotonic() - started:.0f} s")


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return the paths that only one of two builds has, or that differ."""
    return sorted(path for path in {*expected, *found} if expected.get(path) != found.get(path))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found = variations()
    parser.add_argument("--folder", type=Path, default=Path("build/determinism"))
    parser.add_argument("--only", nargs="+", default=[], choices=found, help="vary each of these by itself")
    parser.add_argument("--all", action="store_true", help="vary everything, each by itself")
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    names = list(found) if arguments.all else arguments.only
    builds = {name: REFERENCE.varied(found[name]) for name in names} or combined(found)
    print("reference", flush=True)
    expected = make("reference", REFERENCE, folder, arguments.targets)
    differing = 0
    for name, build in builds.items():
        print(name, flush=True)
        paths = differences(expected, make(name, build, folder, arguments.targets))
        differing += len(paths)
        print(f"  {len(expected)} files, {len(paths)} differ")
        for path in paths:
            print(f"  {path}")
    print(f"{len(builds)} builds, {len(builds) * len(expected)} comparisons, {differing} differences")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
