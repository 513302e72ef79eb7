"""torch.compile, where the hardware gains from it: each layer becomes a few kernels that are generated for it."""

import contextlib
from collections.abc import Iterator

from transformer.common.errors import UserError
from transformer.model.transformer import Transformer


def compile_layers(model: Transformer) -> None:
    """Have the layers of both stacks compiled when they are first used; names of weights stay as they are.

    Layer by layer, since the layers of a stack are one program, compiled once for all lengths and batch sizes; the
    masks, whose being there depends on the data, and the loss, which has its gradient already, stay outside.  Dropout
    draws the numbers that it draws without: results are the same up to rounding.
    """
    for layer in (*model.encoder, *model.decoder):
        layer.compile(dynamic=True, options={"fallback_random": True})


@contextlib.contextmanager
def compiler_errors() -> Iterator[None]:
    """Turn what torch raises when it cannot compile, mostly for want of a C++ compiler, into one line."""
    try:
        yield
    except RuntimeError as error:
        if not type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
            raise
        raise UserError(
            f"the layers could not be compiled ({str(error).splitlines()[0]}); install a C++ compiler (g++), or set "
            "`compile: false` in the scale's file: training is slower then, and gives the same"
        ) from None
