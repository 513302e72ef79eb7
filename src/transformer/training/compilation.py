"""torch.compile, for hardware that gains from it: each layer becomes a few generated kernels."""

import contextlib
from collections.abc import Iterator

import torch

from transformer.common.errors import UserError
from transformer.common.notes import say
from transformer.model.transformer import Transformer
from transformer.training.distributed import ProcessGroup


def compile_layers(model: Transformer) -> None:
    """Compile the layers of both stacks when they are first used; results are the same, up to rounding.

    All layers of a stack share one program for every length and batch size, and another if there is a mask.  Neither
    dropout's random numbers nor the loss, which computes its own gradient, are compiled.
    """
    for layer in (*model.encoder, *model.decoder):
        layer.compile(dynamic=True, options={"fallback_random": True})


def compiles(group: ProcessGroup) -> bool:
    """Return whether torch can compile a small function here; if it cannot, let the main process say why.

    On a GPU, that needs Triton, a C compiler and Python's header files.
    """
    try:
        torch.compile(lambda x: 2 * x + 1)(torch.ones(2, device=group.device))
    except RuntimeError as error:
        if not from_compiler(error):
            raise
        if group.is_main:
            say(f"the layers are not compiled, so training takes longer: {first_line(error)}")
        return False
    return True


@contextlib.contextmanager
def compiler_errors() -> Iterator[None]:
    """Turn torch's errors about compilation, mostly a missing C++ compiler, into a UserError."""
    try:
        yield
    except RuntimeError as error:
        if not from_compiler(error):
            raise
        raise UserError(
            f"the layers could not be compiled ({first_line(error)}); install a C++ compiler (g++), or set "
            "`compile: false` in the scale's file: training then takes longer and gives the same results"
        ) from None


def from_compiler(error: RuntimeError) -> bool:
    """Return whether torch's compiler has raised this."""
    return type(error).__module__.startswith(("torch._dynamo", "torch._inductor"))


def first_line(error: RuntimeError) -> str:
    """Return the message without the advice that follows."""
    return str(error).splitlines()[0]
