"""The logger `attention`: what it says of each event, and the bars on a terminal."""

import contextlib
import logging
import os
import pty
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_attention import LogHandler, LogHandlerSettings
from snakemake_logger_plugin_attention.job_log import last_report
from snakemake_logger_plugin_attention.story import Story

HALF = (
    "training:   9%|█▍             | 165/1800 [00:10<01:39, 16.50step/s, loss=5.614, tokens_per_s=12,509]\n"
    "step 400  epoch 0  loss 3.28678  seconds 23.8\n"
    "training:  50%|███████▌       | 900/1800 [00:50<00:50, 18.00step/s, loss=2.447, tokens_per_s=14,085]\n"
)


def record(event: LogEvent | None = None, message: str = "", level: int = logging.INFO, **extra: Any) -> Any:
    made = logging.makeLogRecord({"msg": message, "levelno": level, "levelname": logging.getLevelName(level)})
    vars(made).update(extra, **({"event": event} if event else {}))
    return made


def job_info(number: int, rule: str, log: Path | str = "some.log", **wildcards: str) -> Any:
    names: dict[str, Any] = {"jobid": number, "rule_name": rule, "wildcards": wildcards, "log": [str(log)]}
    return record(LogEvent.JOB_INFO, **names)


def training(number: int, log: Path | str) -> Any:
    return job_info(number, "train", log, run="base", source="en", target="de")


def begin(story: Story, jobs: int) -> None:
    for event in (
        record(LogEvent.WORKFLOW_STARTED),
        record(LogEvent.RUN_INFO, stats={"train": jobs, "total": jobs}),
    ):
        list(story.lines(event))


@pytest.fixture
def story() -> Story:
    return Story(plain=logging.Formatter().format)


def test_a_training_tells_how_far_it_is(tmp_path: Path) -> None:
    log = tmp_path / "en-de.log"
    log.write_text(HALF)
    report = last_report(log, since=0)
    assert report
    assert report.share == 0.5
    assert report.text == "50%  900/1800 [00:50<00:50, 18.00step/s, loss=2.447, tokens_per_s=14,085]"
    assert last_report(log, since=log.stat().st_mtime + 1) is None  # an earlier run wrote it
    assert last_report(tmp_path / "none.log", since=0) is None


def test_a_note_in_a_log_is_told_once(story: Story, tmp_path: Path) -> None:
    begin(story, 2)
    for number in (1, 2):
        log = tmp_path / f"{number}.log"
        log.write_text("5 sentences\nnote: 3 of 5 pairs were dropped\nnote: 3 of 5 pairs were dropped\n")
        list(story.lines(job_info(number, "clean", log)))
    told = [list(story.lines(record(LogEvent.JOB_FINISHED, job_id=number))) for number in (1, 2)]
    assert told[0][:-1] == ["clean: note: 3 of 5 pairs were dropped"]
    assert len(told[1]) == 1


def test_in_a_log_a_training_says_now_and_then_how_far_it_is(story: Story, tmp_path: Path) -> None:
    log = tmp_path / "en-de.log"
    begin(story, 1)
    list(story.lines(training(1, log)))
    log.write_text(HALF)
    now = time.time()
    assert list(story.tick(now + 5)) == []  # too early
    (line,) = story.tick(now + 61)
    assert "50%  900/1800 [00:50<00:50, 18.00step/s, loss=2.447, tokens_per_s=14,085]" in line
    assert list(story.tick(now + 200)) == []  # no further than before


def test_what_a_job_notes_in_its_log_is_said_once(story: Story, tmp_path: Path) -> None:
    log = tmp_path / "en-de.log"
    log.write_text("note: of an earlier run\n")
    os.utime(log, (0, 0))
    begin(story, 1)
    list(story.lines(job_info(1, "clean", log, pair="en-de", split="train")))
    assert list(story.noted()) == []
    log.write_text("reading\nnote: half of it is dr")
    assert list(story.noted()) == []
    with log.open("a") as file:
        file.write("opped\n")
    assert list(story.noted()) == ["clean en-de train: note: half of it is dropped"]
    with log.open("a") as file:
        file.write("note: done\n")
    said = list(story.lines(record(LogEvent.JOB_FINISHED, job_id=1)))
    assert said[0] == "clean en-de train: note: done"
    assert len(said) == 2


def test_what_a_job_shows_stands_below_its_line(story: Story, tmp_path: Path) -> None:
    log = tmp_path / "bleu.log"
    log.write_text("shown: BLEU 81.3\n1000 sentences\nshown: reference  Der Hund\n")
    begin(story, 1)
    list(story.lines(job_info(1, "score_bleu", log, run="base", source="en", target="de")))
    assert list(story.noted()) == []
    said = list(story.lines(record(LogEvent.JOB_FINISHED, job_id=1)))
    assert "score_bleu base en-de" in said[0]
    assert said[1:] == ["    BLEU 81.3", "    reference  Der Hund"]


def test_a_job_of_slurm_that_did_several_steps_is_one_line_with_its_log(story: Story) -> None:
    """Snakemake's own text has the whole log, and the failures of the steps follow."""
    failure = record(LogEvent.GROUP_ERROR, "Error in group", logging.ERROR, aux_logs=["slurm/7.log"])
    said = list(story.lines(failure))
    assert len(said) == 1
    assert said[0].endswith("slurm/7.log")


def test_a_job_that_succeeds_at_its_second_try_has_not_failed(story: Story, tmp_path: Path) -> None:
    begin(story, 1)
    failure: dict[str, Any] = {"rule_name": "train", "jobid": 1, "log": [], "aux": {}}
    for event in (
        training(1, tmp_path / "log"),
        record(LogEvent.JOB_ERROR, level=logging.ERROR, **failure),
        training(1, tmp_path / "log"),
        record(LogEvent.JOB_FINISHED, job_id=1),
    ):
        list(story.lines(event))
    assert next(story.ending(time.time())).startswith("1 of 1 jobs done in 0:00.")


def failure(log: Path, **more: Any) -> Any:
    names: dict[str, Any] = {"rule_name": "train", "jobid": 1, "log": [str(log)], "aux": {}}
    return record(LogEvent.JOB_ERROR, level=logging.ERROR, **names, **more)


def test_a_job_that_slurm_refuses_is_shown_with_its_reason_and_not_with_an_earlier_log(
    story: Story, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text("the end of an earlier, successful build\n")
    os.utime(log, (0, 0))
    begin(story, 1)
    list(story.lines(training(1, log)))
    reason = "SLURM sbatch failed. The error message was 'invalid partition'."
    line, *told = story.lines(failure(log, rule_msg=f"{reason}\n    sbatch call:\n        sbatch --x"))
    assert "FAILED" in line
    assert told == [f"    {reason}"]
    assert "the end of its log" not in "\n".join(story.ending(time.time())).lower()


def test_a_job_that_failed_before_it_wrote_anything_sends_nobody_to_a_log(
    story: Story, tmp_path: Path
) -> None:
    begin(story, 1)
    list(story.lines(training(1, tmp_path / "none")))
    assert [*story.lines(failure(tmp_path / "none"))][1:] == ["    it has written no log"]
    assert "says what is wrong" not in "\n".join(story.ending(time.time()))


def test_ctrl_c_is_no_failure(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The jobs get it, too: their logs end in tracebacks, and Snakemake reports them as failed."""
    before = signal.getsignal(signal.SIGINT)
    log = tmp_path / "log"
    try:
        with (
            open(tmp_path / "said", "w", encoding="utf-8") as file,
            handler(file, monkeypatch) as made,
        ):
            made.emit(record(LogEvent.WORKFLOW_STARTED))
            made.emit(record(LogEvent.RUN_INFO, stats={"train": 1, "total": 1}))
            made.emit(training(1, log))
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            log.write_text("Traceback (most recent call last):\nKeyboardInterrupt\n")
            made.emit(record(None, "Terminating processes on user request, this might take some time."))
            made.emit(failure(log))
            made.emit(
                record(LogEvent.ERROR, "CalledProcessError: died with <Signals.SIGINT: 2>", logging.ERROR)
            )
            made.close()
    finally:
        signal.signal(signal.SIGINT, before)
    said = (tmp_path / "said").read_text()
    assert "FAILED" not in said
    assert "Traceback" not in said
    assert "wrong" not in said
    assert "interrupted after 0 of 1 jobs; the same command continues" in said


def test_a_run_that_starts_nothing_has_no_ending(story: Story) -> None:
    """The Snakefile may still refuse it, in one line of its own."""
    begin(story, 1)
    assert list(story.ending(time.time())) == []


def test_other_errors_and_warnings_are_shown_in_full(story: Story) -> None:
    begin(story, 1)
    error = "MissingOutputException in rule clean:\nJob completed, but files are missing"
    assert list(story.lines(record(LogEvent.ERROR, error, logging.ERROR))) == error.splitlines()
    assert list(story.lines(record(None, "the disk is full", logging.WARNING))) == ["the disk is full"]
    assert list(story.lines(record(None, "Select jobs to execute..."))) == []


COMMON = {
    "printshellcmds": True, "nocolor": False, "quiet": None, "debug_dag": False, "verbose": False,
    "show_failed_logs": True, "stdout": False, "dryrun": False,
}  # fmt: skip


@contextlib.contextmanager
def handler(
    stream: Any, monkeypatch: pytest.MonkeyPatch, full: bool = False, **common: Any
) -> Iterator[LogHandler]:
    monkeypatch.setattr("sys.stderr", stream)
    made = LogHandler(SimpleNamespace(**COMMON | common), LogHandlerSettings(full=full))  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


def run(made: LogHandler, log: Path) -> None:
    """Let a handler see a run with one training, which is at its half for two seconds."""
    made.emit(record(LogEvent.WORKFLOW_STARTED))
    made.emit(record(LogEvent.RUN_INFO, stats={"train": 1, "total": 1}))
    made.emit(record(None, "Trainings: base en-de.", local=True))
    made.emit(training(1, log))
    log.write_text(HALF)
    time.sleep(2)
    made.emit(record(LogEvent.JOB_FINISHED, job_id=1))
    made.emit(record(None, "Table 2\nresults/table2.tex", result=True))


def on_a_terminal(log: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a run writes to a pseudo-terminal."""
    reading, writing = pty.openpty()
    with open(writing, "w", encoding="utf-8") as terminal, handler(terminal, monkeypatch) as made:
        run(made, log)
        made.close()
    parts = []
    with contextlib.suppress(OSError):  # its end
        while part := os.read(reading, 65536):
            parts.append(part)
    os.close(reading)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_on_a_terminal_a_training_has_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name in ("CI", "SLURM_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    said = on_a_terminal(tmp_path / "en-de.log", monkeypatch)
    assert re.search(r"\x1b\[Jtrain base en-de +█{10}░{10} 50%  900/1800 \[00:50<00:50, 18.00step/s, ", said)
    assert re.search(r"\nall +░{20} 0 of 1 jobs\n", said)
    assert "\x1b[2A\x1b[J" in said  # the bars are drawn again in their place
    *_, last = said.split("\x1b[J")
    assert "█" not in last  # and are gone in the end
    assert last.endswith("Table 2\nresults/table2.tex\n")


def test_a_log_and_a_terminal_of_slurm_have_no_bars_and_no_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name in ("CI", "SLURM_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    with open(tmp_path / "said", "w", encoding="utf-8") as file, handler(file, monkeypatch) as made:
        run(made, tmp_path / "en-de.log")
        made.close()
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    for said in (on_a_terminal(tmp_path / "en-de.log", monkeypatch), (tmp_path / "said").read_text()):
        assert "\x1b" not in said
        assert "█" not in said
        assert said.endswith("Table 2\nresults/table2.tex\n")


@pytest.mark.parametrize(
    "options", [{"dryrun": True}, {"quiet": {"progress"}}, {"verbose": True}, {"full": True}]
)
def test_on_request_snakemake_speaks_for_itself(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        open(tmp_path / "said", "w", encoding="utf-8") as file,
        handler(file, monkeypatch, **options) as made,
    ):
        made.emit(record(None, "Select jobs to execute..."))
        made.emit(record(LogEvent.PROGRESS, done=1, total=2))
    said = (tmp_path / "said").read_text()
    assert said.splitlines()[0] == "Select jobs to execute..."
    assert "1 of 2 steps (50%) done" in said


@pytest.mark.parametrize(
    ("level", "message", "said"),
    [
        (
            logging.ERROR,
            "LockException:\nError: Directory cannot be locked. Please make sure",
            "or if none is running: `snakemake --unlock`; then run the same command again",
        ),
        (
            logging.ERROR,
            "CalledProcessError in file x:\nCommand 'y' died with <Signals.SIGKILL: 9>.",
            "A job was killed, most likely because memory ran out",
        ),
        (
            logging.ERROR,
            "MissingRuleException:\nNo rule to produce results/demo/runs/bse/x (if you use input functions",
            "error: results/demo/runs/bse/x: no rule makes this; --config scale=… must name the scale",
        ),
        (
            logging.WARNING,
            "Ignore corrupted or currently written metadata record /a/.snakemake/metadata/@Yy50/eHQ=.",
            "warning: c.txt: a power cut has torn Snakemake's record of it",
        ),
    ],
    ids=["locked", "killed", "no rule", "torn record"],
)
def test_what_snakemake_says_at_length_is_one_line(story: Story, level: int, message: str, said: str) -> None:
    (line,) = story.lines(record(LogEvent.ERROR, message, level))
    assert said in line
