"""Each reader that the fuzz campaign tries has inputs."""

from pathlib import Path

import fuzz


def test_every_target_makes_inputs(tmp_path: Path) -> None:
    for target in fuzz.TARGETS:
        for seed in range(2):
            fuzz.put(target, seed, 0, fuzz.emptied(tmp_path))
            assert any(tmp_path.rglob("*"))
