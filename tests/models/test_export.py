from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.attention.kinds import kind
from models.attention.pack import pack_plans
from models.attention.plan import make_plan
from models.export import export_encoder, window_inputs
from models.model import LongleafModel
from models.presets import PRESETS
from pipeline.dataset import collate
from tests.models.attention.dense import layout
from tests.models.test_model import made, window

LENGTHS = (2, 101, 601)  # tokens; none is the length that is traced, and the last is planned in blocks


def small(name: str, device: str, **changes: object) -> LongleafModel:
    """A preset of one layer without heads."""
    return made(name, **{"num_hidden_layers": 1, "heads": {}, **changes}).to(device)


@pytest.mark.parametrize("name", PRESETS)
def test_the_exported_encoder_is_the_encoder_at_every_length(name: str, device: str) -> None:
    model = small(name, device)
    run = export_encoder(model).module()
    with torch.no_grad():
        for length in LENGTHS:
            batch = collate([window(model, length)]).to(device)
            torch.testing.assert_close(
                run(*window_inputs(batch, model.config)), model.encoder(batch), rtol=0, atol=1e-4
            )


def test_heads_may_see_differently_and_global_tokens_stand_anywhere(device: str) -> None:
    kinds = {"dilated": {"window": 5, "dilations": (1, 3)}}
    model = small("longformer", device, num_hidden_layers=2, mixers=["dilated", "hartley"], kinds=kinds)
    run = export_encoder(model).module()
    for length, global_tokens in ((5, (2, 4)), (40, (7,)), (40, tuple(range(1, 40, 3)))):
        plan = make_plan(layout(length, global_tokens), kind("dilated", kinds))
        batch = replace(collate([window(model, length)]), plans={"dilated": pack_plans([plan])}).to(device)
        with torch.no_grad():
            found, wanted = run(*window_inputs(batch, model.config)), model.encoder(batch)
        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-4)


def test_written_to_a_file_and_read_again_it_is_the_same(tmp_path: Path, device: str) -> None:
    model = small("longleaf", device)
    program = export_encoder(model)
    torch.export.save(program, tmp_path / "encoder.pt2")
    inputs = window_inputs(collate([window(model, 50)]).to(device), model.config)
    with torch.no_grad():
        before, after = program.module()(*inputs), torch.export.load(tmp_path / "encoder.pt2").module()(*inputs)
    assert torch.equal(before, after)


def test_one_window_at_a_time_in_eval_mode() -> None:
    model = small("sw", "cpu")
    with pytest.raises(ValueError, match="one window at a time, not 2"):
        window_inputs(collate([window(model, 9), window(model, 4)]), model.config)
    with pytest.raises(ValueError, match="eval mode"):
        export_encoder(model.train())
