"""The words of a run: names of jobs, times, bars, and text in lines and columns."""

import textwrap
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WIDTH = 100  # columns of text that is wrapped
BAR = 20  # columns
LOG_LINES = 12  # of a failed job


def label(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the rule and its wildcards, with the two languages of a pair as one word: ``train base en-de``."""
    values = dict(wildcards)
    if {"source", "target"} <= values.keys():
        values["source"] += f"-{values.pop('target')}"
    return " ".join(filter(None, [rule, *values.values()]))


def is_training(record: Any) -> bool:
    """Return whether a job trains a model; in a module, the rule's name has a prefix."""
    return record.rule_name.split("_")[-1] == "train" and "run" in record.wildcards


def last_lines(log: Path) -> list[str]:
    """Return the end of a log, without empty lines; an empty list if there is none."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip()][-LOG_LINES:]


def bar(share: float, utf8: bool) -> str:
    """Return a bar of BAR columns, of which ``share`` is filled."""
    full, empty = ("█", "░") if utf8 else ("#", ".")
    filled = int(BAR * min(share, 1))
    return full * filled + empty * (BAR - filled)


def clock(seconds: float) -> str:
    """Return a time as ``0:46``, ``12:05`` or ``3:20:00``."""
    minutes, second = divmod(round(max(seconds, 0)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def made_file(record: str) -> str:
    """Return the file whose record of Snakemake's this is: its name is the file's in base64, cut by folders with @."""
    name = record.partition("metadata/")[2].replace("/", "").replace("@", "")
    return urlsafe_b64decode(name).decode()


def wrapped(text: str) -> list[str]:
    """Return text in lines of WIDTH columns."""
    return textwrap.wrap(
        text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
