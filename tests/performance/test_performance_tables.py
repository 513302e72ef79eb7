"""The tables of `docs/notes/performance.md` from measurements."""

from pathlib import Path

import pytest
from performance_tables import Row, marks, tables, write_into

ABOUT = {"CPU": "A processor", "instructions": "AVX2", "cores": "2", "load before": "0.0"}
ABOUT |= {"date": "2026-11-22", "torch": "2.13.0", "commit": "abc", "minutes": "9"}
RUN = [Row("run", program=name, value=value) for name, value in ABOUT.items()]
PEAK = [
    Row("work", "base", value="1e8", unit="FLOP/token"),
    Row("peak", "", "fp32", 1, "torch", value="80"),
    Row("peak", "", "fp32", 1, "oneDNN", value="100"),
]


def turns(task: str, program: str, *speeds: float, precision: str = "fp32") -> list[Row]:
    return [
        Row(task, "base", precision, 1, program, "1.0", number, str(speed), "tokens/s")
        for number, speed in enumerate(speeds, start=1)
    ]


def test_a_cell_has_the_median_the_range_and_the_median_of_the_rounds_percentages() -> None:
    rows = RUN + PEAK + turns("training", "ours", 100, 1000, 400) + turns("training", "fairseq", 50, 100, 300)
    text = tables(rows)
    assert "| this project | 400 (100–1,000) |" in text
    assert "| fairseq | 100 (50–300), 50% |" in text  # of 50 %, 10 % and 75 %; not 100 of 400


def test_the_share_of_the_peak_is_that_of_the_fastest_product() -> None:
    text = tables(RUN + PEAK + turns("training", "ours", 500, 500))
    assert "| one thread, base, fp32 | torch 80, oneDNN 100 | 50% |" in text


@pytest.mark.parametrize(("threads", "cell"), [(1, "70 (70–70)"), (2, "50 (50–50)")])
def test_one_thread_is_measured_by_processor_time(threads: int, cell: str) -> None:
    row = Row("decoding", "base", "fp32", threads, "ours", "1.0", 1, "50", "tokens/s", by_processor_time="70")
    assert f"| this project | {cell} |" in tables([*RUN, row])


def test_the_tables_replace_those_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    begin, end = marks("speeds.csv")
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n", encoding="utf-8")
    write_into(page, "speeds.csv", RUN)
    write_into(page, "speeds.csv", RUN)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{begin}\n")
    assert text.endswith(f"{end}\nafter\n")
    assert text.count("A processor") == 1
    assert "old" not in text


@pytest.mark.parametrize(("load", "rehearsal"), [("0.1", False), ("3.0", True)])
def test_figures_of_a_busy_machine_are_called_a_rehearsal(load: str, rehearsal: bool) -> None:
    busy = [row for row in RUN if row.program != "load before"] + [
        Row("run", program="load before", value=load)
    ]
    assert ("rehearsal" in tables(busy)) == rehearsal
