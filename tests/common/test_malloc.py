"""Which memory allocator a training gets."""

import sys
from collections.abc import Iterator

import pytest

from transformer.common import malloc

LIBRARY = "libm.so.6"  # any library that can be loaded into another program


@pytest.fixture(autouse=True)
def nothing_is_preloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    malloc.find_tcmalloc.cache_clear()
    yield
    malloc.find_tcmalloc.cache_clear()  # other tests look for the real library


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no LD_PRELOAD")
def test_the_first_library_that_can_be_loaded_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malloc, "TCMALLOC", ("/no such/folder/libtcmalloc.so", LIBRARY, "libdl.so.2"))
    assert malloc.malloc_environment() == {"LD_PRELOAD": LIBRARY}


def test_without_tcmalloc_glibc_keeps_large_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malloc, "TCMALLOC", ("/no such/folder/libtcmalloc.so",))
    assert malloc.malloc_environment() == {"GLIBC_TUNABLES": malloc.GLIBC_TUNABLES}


def test_what_the_user_preloads_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malloc, "TCMALLOC", (LIBRARY,))
    monkeypatch.setenv("LD_PRELOAD", "libdl.so.2")
    assert "LD_PRELOAD" not in malloc.malloc_environment()


def test_a_training_also_keeps_few_compiled_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malloc, "TCMALLOC", (LIBRARY,))
    environment = malloc.training_environment()
    assert environment.items() >= malloc.malloc_environment().items()
    assert int(environment["ONEDNN_PRIMITIVE_CACHE_CAPACITY"]) < 1024  # oneDNN's default
