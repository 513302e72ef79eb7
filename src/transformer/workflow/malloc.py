"""The environment in which a training on a CPU allocates memory fast, and keeps no more than it uses.

Every batch has another shape, so a training asks for large blocks of thousands of sizes.  By default, glibc returns
them to the system at once and gets them back page by page.  With the settings below it keeps them, but then searches
long lists of free blocks, which takes 7 to 17% of the time of a small model.  tcmalloc and mimalloc do not.  The
results are the same, bit by bit.
"""

import os
import subprocess
import sysconfig
from pathlib import Path

TCMALLOC = ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4")
# Of the package cmeel-mimalloc, which is in the environment.  By default, it returns pages that are free for a while.
MIMALLOC = str(Path(sysconfig.get_path("platlib"), "cmeel.prefix", "lib", "libmimalloc.so.3"))
KEEP_PAGES = {"MIMALLOC_PURGE_DELAY": "-1"}
GLIBC_TUNABLES = (
    "glibc.malloc.mmap_threshold=17179869184:glibc.malloc.trim_threshold=17179869184:glibc.malloc.hugetlb=1"
)
# By default, oneDNN keeps 1024 compiled kernels, of which those for attention are hardly used again.  With 256,
# training needs a fifth less memory and is nearly as fast (docs/notes/performance.md).
KEPT_KERNELS = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "256"}


def training_environment(portable: bool = False) -> dict[str, str]:
    """Return the variables to set for a new process that trains: how it allocates memory, and what oneDNN keeps."""
    return {**malloc_environment(portable), **KEPT_KERNELS}


def malloc_environment(portable: bool = False) -> dict[str, str]:
    """Return the variables that load tcmalloc, or tell glibc to keep large blocks if it is not there.

    Without tcmalloc, a training with ``portable`` numerics gets the environment's mimalloc.  In bf16, a larger model
    was slower with it than with glibc (docs/notes/performance.md).  tcmalloc is Debian's package libtcmalloc-minimal4.
    mimalloc needs libatomic1, which comes with every C compiler, and a folder without a space in its name.  What the
    user preloads stays.
    """
    wanted = (*TCMALLOC, MIMALLOC) if portable else TCMALLOC
    libraries = () if os.environ.get("LD_PRELOAD") else wanted
    library = next(filter(_can_be_preloaded, libraries), None)
    if library is None:
        return {"GLIBC_TUNABLES": GLIBC_TUNABLES}
    return {"LD_PRELOAD": library, **(KEEP_PAGES if library == MIMALLOC else {})}


def _can_be_preloaded(library: str) -> bool:
    # The dynamic linker goes on without a library that it cannot load, and says so in a line on stderr.
    environment = {**os.environ, "LD_PRELOAD": library}
    tried = subprocess.run(["true"], env=environment, capture_output=True, check=False)
    return tried.returncode == 0 and not tried.stderr
