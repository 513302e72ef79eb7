"""Which memory allocator a training gets."""

import sys
from pathlib import Path

import pytest

from transformer.workflow import malloc

LIBRARY = "libm.so.6"  # any library that can be loaded into another program


@pytest.fixture(autouse=True)
def nothing_is_preloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)


def test_without_tcmalloc_a_portable_training_has_mimalloc_which_keeps_its_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(malloc, "TCMALLOC", ("/no such/folder/libtcmalloc.so",))
    monkeypatch.setattr(malloc, "MIMALLOC", LIBRARY)
    assert malloc.malloc_environment(portable=True) == {"LD_PRELOAD": LIBRARY, "MIMALLOC_PURGE_DELAY": "-1"}
    assert malloc.malloc_environment() == {"GLIBC_TUNABLES": malloc.GLIBC_TUNABLES}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's dynamic linker reads LD_PRELOAD")
def test_the_environment_has_mimalloc() -> None:
    assert Path(malloc.MIMALLOC).exists()


def test_without_both_glibc_keeps_large_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malloc, "TCMALLOC", ("/no such/folder/libtcmalloc.so",))
    monkeypatch.setattr(malloc, "MIMALLOC", "/no such/folder/libmimalloc.so")
    assert malloc.malloc_environment(portable=True) == {"GLIBC_TUNABLES": malloc.GLIBC_TUNABLES}


def test_what_the_user_preloads_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malloc, "TCMALLOC", (LIBRARY,))
    monkeypatch.setenv("LD_PRELOAD", "libdl.so.2")
    assert "LD_PRELOAD" not in malloc.malloc_environment()
