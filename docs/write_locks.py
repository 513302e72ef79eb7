"""Write the lock files and envs/transformer.yaml from pyproject.toml.  `make lock` calls it.

Each line of a lock file pins a package, with the sha256 of its wheels for Linux and macOS, and of its source where it
has no wheel.  Versions stay as they are in the present files, unless --upgrade or --upgrade-package NAME is given.
"""

import argparse
import re
import subprocess
import tempfile
import tomllib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

from packaging.markers import Marker

ROOT = Path(__file__).parents[1]
TORCH_FOR_CPU = "https://download.pytorch.org/whl/cpu/torch/"
LOCKS = ["requirements.lock", "requirements-cuda.lock", "requirements-extras.lock"]
ABOUT_LOCK = """\
# Every package of the environment but torch, pinned, each with the sha256 of its files for Linux and macOS.  `make`
# installs this and one of requirements-cpu.lock and requirements-cuda.lock.  Written by `make lock`."""
ABOUT_CPU = """\
# torch's build for CPUs: for Linux, from https://download.pytorch.org/whl/cpu.  Written by `make lock`."""
ABOUT_CUDA = """\
# torch's default build, for Linux with CUDA, and what it needs besides requirements.lock.  Written by `make lock`."""
ABOUT_EXTRAS = """\
# What the extras export, track, browser and install need besides requirements.lock.  Written by `make lock`."""
ABOUT_CONDA = """\
# The environment for conda users: conda env create --name transformer --file envs/transformer.yaml
# The pins are those of requirements.lock.  Written by `make lock`.
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python {python}
  - pip
  - pip:
"""
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


class Target(NamedTuple):
    """A Python on a platform: as markers name them, and as the names of wheels do."""

    python: str
    system: str
    machine: str
    wheels: str


TARGETS = [
    Target(python, *platform)
    for python in PYTHONS
    for platform in (
        ("linux", "x86_64", r"manylinux\w*_x86_64"),
        ("linux", "aarch64", r"manylinux\w*_aarch64"),
        ("darwin", "arm64", r"macosx_\w*_(arm64|universal2)"),
    )
]
CUDA = re.compile(r"(cuda|nvidia)-|torch$|triton$")

Package = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--uv", default="uv", help="the program uv")
    arguments, options = parser.parse_known_args()
    old = {name: line for file in LOCKS for name, line in pins(ROOT / file).items()}
    sums = sums_for_cpus()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "kept.txt"
        kept.write_text("")
        if sums is None:
            print(f"{TORCH_FOR_CPU} cannot be reached: torch and the sums of its builds for CPUs stay")
            kept.write_text(old["torch"].partition(" --hash")[0])
        solver = Solver(arguments.uv, [*options, f"--constraint={kept}"], old, Path(folder))
        needed = solver.packages("dev")
        everything = solver.packages("dev", "export", "track", "browser", "install")
    lines = {name: line_of(package) for name, package in everything.items()}
    lock = [lines[name] for name in needed if not CUDA.match(name)]
    files = {
        "requirements.lock": [ABOUT_LOCK, *lock],
        "requirements-cpu.lock": [ABOUT_CPU, *torch_for_cpus(everything["torch"], sums)],
        "requirements-cuda.lock": [ABOUT_CUDA, *(lines[name] for name in needed if CUDA.match(name))],
        "requirements-extras.lock": [ABOUT_EXTRAS, *(lines[name] for name in lines if name not in needed)],
    }
    for file, text in files.items():
        (ROOT / file).write_text("".join(f"{line}\n" for line in text))
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    conda = "".join(f"      - {line.partition(' --hash')[0]}\n" for line in [*lock, lines["torch"]])
    (ROOT / "envs/transformer.yaml").write_text(ABOUT_CONDA.format(python=python) + conda)


def pins(file: Path) -> dict[str, str]:
    """Return the lines of a lock file by the names of their packages."""
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return {line.partition("==")[0]: line for line in lines}


class Solver:
    """Asks uv which packages and files the project needs."""

    def __init__(self, uv: str, options: list[str], old: dict[str, str], folder: Path) -> None:
        self.uv, self.options, self.old, self.folder = uv, options, old, folder

    def packages(self, *extras: str) -> dict[str, Package]:
        """Return what the project needs with ``extras``, by name, with all files, as a pylock.toml describes them."""
        chosen = self.folder / "pins.txt"
        # uv prefers the versions that it finds in the file that it is to write.
        chosen.write_text("\n".join(line.partition(" --hash")[0] for line in self.old.values()))
        named = [f"--extra={extra}" for extra in extras]
        self.compile("pyproject.toml", *named, *self.options, f"--output-file={chosen}")
        found = self.folder / "pylock.toml"
        self.compile("pyproject.toml", *named, f"--constraint={chosen}", f"--output-file={found}")
        packages = tomllib.loads(found.read_text())["packages"]
        return {package["name"]: package for package in packages if wanted(package)}

    def compile(self, *options: str) -> None:
        fixed = ["--universal", "--quiet", f"--python-version={PYTHONS[0]}"]
        subprocess.run([self.uv, "pip", "compile", *fixed, *options], cwd=ROOT, check=True)


def wanted(package: Package) -> list[Target]:
    """Return where this package is needed."""
    marker = Marker(package.get("marker", "python_version > '3'"))
    return [target for target in TARGETS if marker.evaluate(variables(target))]


def variables(target: Target) -> dict[str, str]:
    """Return the variables of markers that differ between targets."""
    python, system, machine, _ = target
    versions = {"python_version": python, "python_full_version": f"{python}.0"}
    return versions | {"sys_platform": system, "platform_machine": machine}


def serves(wheel: str, target: Target) -> bool:
    """Return whether a wheel is for this Python and this platform, by its name."""
    pythons, abis, platforms = (part.split(".") for part in wheel.removesuffix(".whl").split("-")[-3:])
    minor = int(target.python.removeprefix("3."))
    own = f"cp3{minor}"
    if "abi3" in abis:
        fits = any(int(tag.removeprefix("cp3")) <= minor for tag in pythons)
    else:
        fits = abis in (["none"], [own]) and not {"py3", own}.isdisjoint(pythons)
    return fits and any(tag == "any" or re.fullmatch(target.wheels, tag) for tag in platforms)


def files_of(package: Package) -> dict[str, str]:
    """Return the wheels of a package by their names, with their sha256."""
    return {wheel["url"].rpartition("/")[2]: wheel["hashes"]["sha256"] for wheel in package.get("wheels", [])}


def line_of(package: Package) -> str:
    """Return the line that pins a package."""
    targets = wanted(package)
    wheels = files_of(package)
    found = {wheel for wheel in wheels for target in targets if serves(wheel, target)}
    sums = {wheels[wheel] for wheel in found}
    without = [target for target in targets if not any(serves(wheel, target) for wheel in found)]
    if without:
        where = ", ".join(f"{python} on {system} {machine}" for python, system, machine, _ in without)
        print(f"{package['name']} has no wheel for Python {where}: its source is pinned, too")
        sums.add(package["sdist"]["hashes"]["sha256"])
    return f"{package['name']}=={package['version']}{marker_of(targets)}{hashes(sums)}"


def hashes(sums: set[str]) -> str:
    return "".join(f" --hash=sha256:{digest}" for digest in sorted(sums))


def marker_of(targets: list[Target]) -> str:
    """Return the marker, with its semicolon, of a package that only some Pythons or systems need."""
    pythons, systems = ({target[part] for target in targets} for part in range(2))
    parts = []
    if pythons != set(PYTHONS):
        parts.append(f"python_version in '{' '.join(sorted(pythons))}'")
    if systems != {"linux", "darwin"}:
        parts.append(f"sys_platform == '{systems.pop()}'")
    return f" ; {' and '.join(parts)}" if parts else ""


def sums_for_cpus() -> dict[str, str] | None:
    """Return the names and the sha256 of torch's builds for CPUs, or None where their index cannot be reached."""
    try:
        with urllib.request.urlopen(TORCH_FOR_CPU, timeout=20) as page:
            links = re.findall(r'/([^/"]+\.whl)#sha256=([0-9a-f]{64})', page.read().decode())
    except urllib.error.URLError:
        return None
    return {name.replace("%2B", "+"): digest for name, digest in links}


def torch_for_cpus(torch: Package, sums: dict[str, str] | None) -> list[str]:
    """Return the lines of the builds for CPUs: for Linux, with the sums of their index, else those known so far."""
    if sums is None:
        known = pins(ROOT / "requirements-cpu.lock")["torch"]
    else:
        built = [name for name in sums if name.startswith(f"torch-{torch['version']}+cpu-")]
        found = {sums[name] for name in built if any(serves(name, target) for target in TARGETS)}
        known = f"torch=={torch['version']}+cpu ; sys_platform == 'linux'{hashes(found)}"
    wheels = files_of(torch)
    of_macos = {
        wheels[name]
        for name in wheels
        for target in TARGETS
        if target.system == "darwin" and serves(name, target)
    }
    return [f"torch=={torch['version']} ; sys_platform == 'darwin'{hashes(of_macos)}", known]


if __name__ == "__main__":
    main()
