"""longleaf import"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli import _options, _terminal

if TYPE_CHECKING:
    from models.config import LongleafConfig
    from pipeline.importing import Imported


def run(
    checkpoint: Annotated[
        str,
        typer.Argument(
            metavar="PATH_OR_NAME",
            help="A folder as transformers writes it, or a model's name on the hub.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder of the new model.")],
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help="Longer windows than the checkpoint's; its positions are repeated.", min=16, show_default=False
        ),
    ] = None,
    json: _options.Json = False,
) -> None:
    """Make a model of a published checkpoint: BERT, RoBERTa, Longformer, LED, FNet or LayoutLM.

    It answers as the original does. A name that is no folder is downloaded from the hub.
    """
    from pipeline.importing import find_checkpoint, import_checkpoint

    try:
        imported = import_checkpoint(find_checkpoint(checkpoint), out, max_tokens)
    except (ValueError, OSError) as error:
        _terminal.stop(str(error))
    if _terminal.for_programs(json):
        _terminal.print_json({"status": "ok", "path": str(out), **_told(imported)})
    else:
        _terminal.print_table(("what", "found"), _rows(imported), f"{checkpoint} → {out}")


def _told(imported: "Imported") -> dict[str, Any]:
    account, config = imported.account, imported.config
    return {
        "keys": len(account.used) + len(account.unused),
        "used": len(account.used),
        "unused": account.unused,
        "attention": _attention(config),
        "positions": {"published": account.positions, "here": config.max_tokens},
        "heads": list(config.heads),
        "tokenizer": "converted" if imported.converted else "as published",
    }


def _rows(imported: "Imported") -> list[tuple[str, str]]:
    told = _told(imported)
    published, here = told["positions"]["published"], told["positions"]["here"]
    return [
        ("keys used", f"{told['used']} of {told['keys']}"),
        *((f"{count} unused", why) for why, count in Counter(told["unused"].values()).items()),
        ("attention", told["attention"]),
        ("positions", f"{here}" if here == published else f"{here}, repeated from {published}"),
        ("heads", ", ".join(told["heads"]) or "none"),
        ("tokenizer", told["tokenizer"]),
    ]


def _attention(config: "LongleafConfig") -> str:
    """What mixes the tokens: transformers' checkpoints have one way in all layers."""
    mixer = config.layer_mixers[0]
    if mixer != "sliding":
        return mixer
    return f"sliding, {config.kinds['sliding']['window']} tokens on either side; the first token global"
