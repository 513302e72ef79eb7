"""Operations for which the host would wait for a GPU, found on a CPU."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Results of these depend on a tensor's values, in their numbers or their sizes.
VALUES_NEEDED = set(
    "_local_scalar_dense is_nonzero nonzero masked_select unique equal repeat_interleave".split()
)
INDEXING = ("index", "index_put", "index_put_", "_index_put_impl_")


class Waits(TorchDispatchMode):
    """Lists the operations whose result the host needs."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        by_mask = name in INDEXING and any(
            index is not None and index.dtype == torch.bool for index in args[1]
        )
        if name in VALUES_NEEDED or by_mask:
            self.found.append(name)
        return func(*args, **(kwargs or {}))
