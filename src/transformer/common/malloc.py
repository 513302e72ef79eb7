"""The environment in which a training on a CPU allocates memory fast, and keeps no more than it uses.

Every batch has another shape, so a training asks for large blocks of thousands of sizes.  By default, glibc returns
them to the system at once and gets them back page by page.  With the settings below it keeps them, but then searches
long lists of free blocks, which takes 12 to 17% of the time of a small model.  tcmalloc does not.  The results are the
same, bit by bit.
"""

import os
import subprocess
import sys
from pathlib import Path

# In the environment's own folder if conda made it, else where the system keeps its libraries.
TCMALLOC = (
    str(Path(sys.prefix, "lib", "libtcmalloc_minimal.so.4")),
    "libtcmalloc_minimal.so.4",
    "libtcmalloc.so.4",
)
GLIBC_TUNABLES = (
    "glibc.malloc.mmap_threshold=17179869184:glibc.malloc.trim_threshold=17179869184:glibc.malloc.hugetlb=1"
)
# By default, oneDNN keeps 1024 compiled kernels, of which those for attention are hardly used again.  With 256,
# training needs a fifth less memory and is nearly as fast (benchmarks/README.md).
KEPT_KERNELS = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "256"}


def training_environment() -> dict[str, str]:
    """Return the variables to set for a new process that trains: how it allocates memory, and what oneDNN keeps."""
    return {**malloc_environment(), **KEPT_KERNELS}


def malloc_environment() -> dict[str, str]:
    """Return the variables that load tcmalloc, or tell glibc to keep large blocks if it is not there.

    Debian's package is libtcmalloc-minimal4.  What the user preloads stays.
    """
    libraries = () if os.environ.get("LD_PRELOAD") else TCMALLOC
    library = next(filter(_can_be_preloaded, libraries), None)
    return {"LD_PRELOAD": library} if library else {"GLIBC_TUNABLES": GLIBC_TUNABLES}


def _can_be_preloaded(library: str) -> bool:
    # The dynamic linker goes on without a library that it cannot load, and says so in a line on stderr.
    environment = {**os.environ, "LD_PRELOAD": library}
    tried = subprocess.run(["true"], env=environment, capture_output=True, check=False)
    return tried.returncode == 0 and not tried.stderr
