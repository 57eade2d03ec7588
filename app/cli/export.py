"""longleaf export MODEL"""

from pathlib import Path
from typing import Annotated

import typer

from app.cli import _documents, _options, _terminal


def run(
    model: Annotated[Path, typer.Argument(help="The model's folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The file to write, by custom ending in .pt2.")],
    json: _options.Json = False,
) -> None:
    """Write a model's encoder as one program of torch.export, which runs where Longleaf is not installed.

    It turns one window of N tokens, of any length, into their hidden states (N, hidden). Inputs, in order: input_ids,
    positions (N), boxes (N, 4), pages, shapes (N), global_rows (G), and under the name of each attention kind an (N, N)
    mask of the keys a query may see. `models.export.EncoderOfWindow` says them exactly; `window_inputs` makes them.
    """
    settings = _documents.load_settings()
    folder = _documents.model_folder(model, settings)
    if not out.parent.is_dir():
        _terminal.stop(f"There is no folder {out.parent}.")
    import torch

    from models.checkpoint import load
    from models.export import export_encoder

    try:
        loaded = load(folder)
    except (ValueError, OSError) as error:
        _terminal.stop(str(error))
    torch.export.save(export_encoder(loaded), out)
    kinds, size = loaded.config.attention_kinds, out.stat().st_size
    if _terminal.for_programs(json):
        _terminal.print_json({"status": "ok", "path": str(out), "size_bytes": size, "attention_kinds": kinds})
    else:
        print(f"{out}: {size / 1e6:.1f} MB; attention kinds: {', '.join(kinds) or 'none'}")
