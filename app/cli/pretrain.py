"""longleaf pretrain"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli import _cost, _documents, _terminal


def run(
    data: Annotated[
        list[Path],
        typer.Option(help="PDFs and texts: a folder, .pdf, .txt, or .jsonl(.xz) with `text` rows.", show_default=False),
    ],
    start: Annotated[Path, typer.Option(help="A BERT-type checkpoint, or a Longleaf model to go on from.")],
    out: Annotated[Path, typer.Option(help="The folder of the new model.")],
    tokens: Annotated[int, typer.Option(help="Tokens to train on, at most.", min=1, show_default=False)],
    preset: Annotated[str, typer.Option(help="The new model's shape.")] = "longleaf",
    size: Annotated[
        Literal["tiny", "small", "base"] | None,
        typer.Option(help="Begin with random weights in this size; of START only the tokenizer is used."),
    ] = None,
    window: Annotated[int, typer.Option(help="Tokens of a window.", min=16)] = 4096,
    batch_tokens: Annotated[int, typer.Option(help="Tokens that a device takes at once.", min=16)] = 8192,
    accumulate: Annotated[int, typer.Option(help="Batches to a step of the optimiser.", min=1)] = 1,
    learning_rate: Annotated[float, typer.Option(help="The highest of the schedule.", min=0)] = 5e-4,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in OUT.")] = False,
    cost: _cost.Wanted = False,
    country: _cost.Country = "USA",
) -> None:
    """Teach a model to guess hidden words of PDFs and texts; `longleaf train --start OUT` goes on from there."""
    _documents.check_folder(start)
    settings = _documents.load_settings()
    try:
        from pipeline.training.pretrain import Recipe, run_pretraining

        recipe = Recipe(tokens, preset, size, window, batch_tokens, accumulate, learning_rate, seed)
        with _reading() as told:
            row = run_pretraining(data, out, settings.cache, start, recipe, resume, country if cost else None, told)
    except ImportError as error:
        _terminal.stop(f"Pretraining needs the package {error.name}: pip install 'longleaf[train]'.")
    except (ValueError, OSError) as error:
        _terminal.stop(str(error))
    if _terminal.for_programs(False):
        _terminal.print_json(row)
        return
    names = ("step", "tokens", "perplexity", "seconds_per_1000_tokens", "memory_mb")
    _terminal.print_table(("figure", "value"), [[name, f"{row[name]:.5g}"] for name in names], str(out))
    _cost.show(row)


@contextmanager
def _reading() -> Iterator[Callable[[int, int], None]]:
    """A bar that goes when all is read, as the Trainer has one of its own."""
    with ExitStack() as bar:
        show = bar.enter_context(_terminal.progress("Tokens read"))

        def told(done: int, wanted: int) -> None:
            show(done, wanted)
            if done == wanted:
                bar.close()

        yield told
