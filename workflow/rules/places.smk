# Where things lie: this workflow, resources/, the files of config/, which may be those of the working folder, and the
# folders of runs.

import getpass
import os
import subprocess
import sys
import tempfile

from snakemake.exceptions import WorkflowError

MODIFIER = workflow.modifier  # when jobs run, workflow.modifier is that of the main workflow


def stop(message):
    """End Snakemake with one line; in a module, raise an error, since the process may belong to another program."""
    if MODIFIER.parent_modifier is None:
        sys.exit(f"error: {message}")
    raise WorkflowError(message)


def cloned(source):
    """Return a folder with the commit of the git repository that ``source`` is a folder of.

    Snakemake fetches the rules of a repository one by one, but these rules run programs that lie beside them.
    """
    if hasattr(source, "repo_path"):
        repository = os.path.abspath(source.repo_path)
    elif hasattr(source, "hosted_repo"):
        repository = str(source.hosted_repo.repo_clone)
    else:
        stop(f"{source} is not in a git repository; clone this workflow, and name its workflow/Snakefile")
    command = ["git", "-C", repository, "rev-parse", "--verify", f"{source.ref}^{{commit}}"]
    commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    folder = os.path.abspath(f".snakemake/workflow-{commit}")
    if not os.path.exists(folder):
        os.makedirs(".snakemake", exist_ok=True)
        with tempfile.TemporaryDirectory(dir=".snakemake") as temporary:
            clone = os.path.join(temporary, "clone")
            subprocess.run(["git", "clone", "--quiet", "--no-checkout", repository, clone], check=True)
            subprocess.run(["git", "-C", clone, "checkout", "--quiet", "--detach", commit], check=True)
            os.rename(clone, folder)
    return folder


HERE = workflow.current_basedir  # workflow/rules
PROJECT = os.path.dirname(os.path.dirname(HERE)) if isinstance(HERE, os.PathLike) else cloned(HERE)
# What PYTHONPATH names comes last, so that it hides no package of the environment.
sys.path.sort(key=os.environ.get("PYTHONPATH", "").split(os.pathsep).__contains__)
sys.path.insert(0, os.path.join(PROJECT, "src"))

from transformer.common.errors import UserError, explanation
from transformer.common.project import config_file, in_project, resource_file
from transformer.common.yaml_files import read_yaml

# From the project's own folder, paths are short, and what is recorded of them is the same wherever the project lies.
SRC, WORKFLOW = [top if in_project() else os.path.join(PROJECT, top) for top in ("src", "workflow")]
# Snakemake takes what stands between braces for a wildcard, in the path of the project as well.
ENVIRONMENT = f"{PROJECT}/envs/transformer.yaml".replace("{", "{{").replace("}", "}}")

# Unless this is a module: jobs run the Python that runs Snakemake, even if its environment is not activated, and read and
# write UTF-8 in every locale.
if MODIFIER.parent_modifier is None:
    path = os.pathsep.join([os.path.dirname(sys.executable), *os.get_exec_path()])
    os.environ.update(PYTHONUTF8="1", PATH=path)
# In a container, a user may have a number without a name, for which Snakemake and torch ask.
try:
    getpass.getuser()
except (KeyError, OSError):
    os.environ.update(USER=str(os.getuid()))


# Snakemake reads this file as well, and ends in a traceback when it cannot.
try:
    if not isinstance(read_yaml(config_file("config.yaml")), dict):
        raise UserError(f"{config_file('config.yaml')}: give keys, such as `scale: demo`")
except (UserError, OSError) as error:
    stop(explanation(error) or error)


def config_input(name):
    """Return the path of a file of config/, as an input that the prefix of a module does not change."""
    return local(str(config_file(name)))


def resource_input(name):
    """Return the path of a file of resources/, as an input that the prefix of a module does not change."""
    return local(str(resource_file(name)))


def workflow_input(name):
    """Return the path of a file of this workflow, as an input that the prefix of a module does not change."""
    return local(os.path.join(WORKFLOW, name))


def placed(paths):
    """Return where the prefix of a module puts paths.  Snakemake does this for inputs and outputs, not for params."""
    return [str(MODIFIER.modify_path(path)) for path in paths]
