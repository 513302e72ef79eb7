"""Give every rule what all rules have in common: a log, a benchmark, an environment and the hash of its code."""

import re
from collections.abc import Iterable
from typing import Any

from code_hash import code_hash
from transformer.common.errors import UserError

ENVIRONMENT = "envs/transformer.yaml"


def complete_rules(rules: Iterable[Any], logs: str, project: str, src: str) -> None:
    """Complete each of Snakemake's ``rules`` that runs a command.

    - Its log and its benchmark lie in ``logs/<rule>/``, named after the wildcards of its first output.
    - Its parameter ``src`` is the folder of the scripts.  Snakemake does not record it, because it is a function of the
      outputs, so a project that was moved does not run its rules again.
    - Its parameter ``code`` is a hash of the scripts below ``project/src`` that its command or one of its parameters
      names, so that an edit of the code runs the rule again.  A rule that sets ``code`` itself keeps its own value.
    - Its jobs start before those of rules with a priority of their own.

    Raises UserError if a script does not exist.
    """
    # Snakemake takes what stands between braces for a wildcard, in the path of the project as well.
    environment = f"{project}/{ENVIRONMENT}".replace("{", "{{").replace("}", "}}")
    for rule in rules:
        if rule.shellcmd is None:
            continue
        place = "/".join([logs, rule.name, *_wildcards(rule.output[0])])
        # Snakemake sets these when it parses the paths.
        rule.log_modifier = rule.benchmark_modifier = rule.output_modifier
        rule.set_log(f"{place}.log")
        rule.benchmark = f"{place}.benchmark.tsv"
        rule.conda_env = environment
        rule.priority = rule.priority or 100
        scripts = [f"src/{script}" for script in _scripts(rule)]
        if scripts and not hasattr(rule.params, "code"):
            rule.set_params(code=" ".join(_hash(script, project, rule.name) for script in scripts))
        rule.set_params(src=lambda wildcards, output: src)


def _scripts(rule: Any) -> list[str]:
    """Return the scripts that a rule runs, e.g. ``transformer/corpus/clean.py``."""
    texts = (param for param in rule.params if isinstance(param, str))
    named = [text for text in texts if re.fullmatch(r"[\w/]+\.py", text)]
    return [*re.findall(r"\{params\.src:q\}/([\w/]+\.py)", rule.shellcmd), *named]


def _wildcards(output: str) -> list[str]:
    """Return the wildcards of a path in their order, each once; the two languages of a pair are joined.

    ``data/{source}-{target}/{split}.{source}`` gives ``{source}-{target}`` and ``{split}``.
    """
    names = dict.fromkeys(re.findall(r"\{([a-z]+)", output))
    path = "/".join(f"{{{name}}}" for name in names).replace("{source}/{target}", "{source}-{target}")
    return [path] if path else []


def _hash(script: str, project: str, rule: str) -> str:
    try:
        return code_hash(script, project)
    except FileNotFoundError:
        raise UserError(
            f"{script}, which the rule {rule} runs, does not exist; restore it from git"
        ) from None
