"""Saving and loading a model: ``model.safetensors`` and ``model.json`` in a folder, neither of which can run code.

``model.json`` has the sha256 of the weights, so a model is loaded as it was saved or not at all.
"""

from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from transformer.common.artifacts import AGAIN, check_sha256, read_artifact, write_artifact
from transformer.common.checked import checked
from transformer.common.errors import UserError, reading
from transformer.common.files import atomic_path, sha256_of
from transformer.model.arithmetic import possible_numerics
from transformer.model.device import default_device
from transformer.model.transformer import Transformer
from transformer.settings.run_settings import Numerics, TransformerConfig

FORMAT = 1


def save_tensors(path: Path, tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> None:
    """Write named tensors to a safetensors file, atomically.  Raises UserError when the write fails."""
    plain = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
    try:
        with atomic_path(path) as temporary:
            temporary.touch()
            mode = temporary.stat().st_mode  # follows the umask; save_file would let only the owner read
            save_file(plain, temporary, metadata)
            temporary.chmod(mode)
    except SafetensorError as error:  # the library's writer raises no OSError when the disk is full
        raise UserError(f"{path}: could not be written ({error}); is the disk full?") from None


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file.  Raises UserError when it is missing, truncated, or another kind of file."""
    problem = "not a complete safetensors file"
    # Opened because the library says of a file that may not be read that there is none.
    with reading(path, "make it again", problem, raises=(SafetensorError,)), open(path, "rb"):
        return load_file(path)


def save_model(
    folder: Path, model: Transformer, vocabulary_sha256: str, numerics: Numerics, **info: Any
) -> None:
    """Write ``model.safetensors``, then ``model.json``.

    The latter has the config, the numerics of the training, the sha256 of vocabulary and weights, and ``info``.
    """
    weights = folder / "model.safetensors"
    save_tensors(weights, model.state_dict())
    description = {
        "format": FORMAT,
        "config": model.config.to_dict(),
        "numerics": numerics,
        "vocabulary_sha256": vocabulary_sha256,
        "weights_sha256": sha256_of(weights),
    }
    write_artifact(folder / "model.json", description | info)


def load_model(
    folder: Path, vocabulary_sha256: str | None = None, computes: bool = True
) -> tuple[Transformer, dict[str, Any]]:
    """Return a saved model, and the content of its ``model.json``.

    It computes with the numerics of its training, and is put on a GPU if there is one and these are not portable.
    Where the processor has no portable numerics, it computes in fp32.  A model that nothing ``computes`` with stays on
    the CPU, and no note speaks of numerics.

    Raises UserError when a file is missing or damaged, when the weights are others than those that were saved, and
    when ``vocabulary_sha256`` is given and the model was trained with another vocabulary.
    """
    path = folder / "model.json"
    info = read_artifact(path, "model", f"not a model description of format {FORMAT}: {AGAIN}")
    check_vocabulary(folder, info["vocabulary_sha256"], vocabulary_sha256)
    config = model_config(info["config"], path)
    model = Transformer(config)
    load_weights(model, folder / "model.safetensors")
    check_sha256(folder / "model.safetensors", info["weights_sha256"], path)
    if computes:
        device = "cpu" if info["numerics"] == "portable" else default_device()
        model.to(device).compute_with(possible_numerics(info["numerics"]))
    return model, info


def model_config(content: dict[str, Any], path: Path) -> TransformerConfig:
    """Return the config of a model that was read from ``path``.  Raises UserError for keys and values of no config."""
    return checked(TransformerConfig, content, path, AGAIN)


def load_weights(model: Transformer, path: Path) -> None:
    """Load a file's weights into ``model``.  Raises UserError when names or shapes differ."""
    weights = load_tensors(path)
    wanted = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise UserError(
                f"{path}: holds another model: {name} is {found.get(name, 'missing')} there, "
                f"the config asks for {wanted.get(name, 'none')}"
            )
    model.load_state_dict(weights)


def check_vocabulary(folder: Path, found: str, wanted: str | None) -> None:
    """Raise UserError when ``found``, the sha256 of the vocabulary of ``folder``, differs from ``wanted``."""
    if wanted is not None and found != wanted:
        raise UserError(
            f"{folder}: was made with another vocabulary (sha256 {found[:12]}…) than the one it is used with "
            f"({wanted[:12]}…); take the model, the data and the subwords of one run"
        )
