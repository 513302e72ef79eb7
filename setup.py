"""Build a wheel and a source distribution that hold the whole project: the workflow beside the code that it runs."""

import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import OptionError

# What a run reads.  The manifests tell whether results are the published ones.
CARRIED = [
    "Snakefile",
    *(f"{folder}/**/*" for folder in ("config", "envs", "profiles", "resources", "src", "workflow")),
    "docs/results/*/manifest.csv",
]
NOT_CARRIED = re.compile(r"__pycache__|\.egg-info/")


def carried() -> list[Path]:
    """Return the files that git tracks, where there is git: others, such as a scale of a user, may be secret."""
    paths = (path for pattern in CARRIED for path in Path().glob(pattern))
    found = [path for path in paths if path.is_file() and not NOT_CARRIED.search(str(path))]
    if not Path(".git").exists():  # an unpacked source distribution
        return found
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True)
    tracked = set(map(Path, listed.stdout.split("\0")))
    return [path for path in found if path in tracked]


class SourceOfProject(sdist):
    """Put into the source distribution what the wheel holds."""

    def make_distribution(self) -> None:
        ours = [path for path in self.filelist.files if path.startswith("src/") and ".egg-info/" not in path]
        self.filelist.files = [*(set(self.filelist.files) - {*ours}), *map(str, carried())]
        super().make_distribution()


class BuildProject(build_py):
    """Put the project into one folder, whose src/ a .pth file names, as in an editable installation."""

    def run(self) -> None:
        if self.editable_mode:
            return super().run()
        top = Path(self.build_lib)
        # What an earlier build left would be in this wheel.
        if top.resolve() == Path("build/lib").resolve():  # where setuptools builds, if nobody says where
            shutil.rmtree(top, ignore_errors=True)
        elif top.exists() and any(top.iterdir()):
            raise OptionError(f"--build-lib {top}: not empty; name a new or an empty folder")
        project = top / "attention_is_all_you_need"
        for path in carried():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, project / path)
        (top / "attention_is_all_you_need.pth").write_text("attention_is_all_you_need/src\n")


setup(cmdclass={"build_py": BuildProject, "sdist": SourceOfProject})
