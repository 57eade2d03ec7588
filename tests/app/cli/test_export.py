import json
from pathlib import Path

import pytest
import torch

from app.cli import export
from app.cli._terminal import UsageProblemError
from models.checkpoint import load
from models.export import window_inputs
from pipeline.dataset import collate
from tests import tiny


def test_what_is_written_runs_as_the_model_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tiny.model_folder(tmp_path / "model"), tmp_path / "encoder.pt2"
    export.run(folder, out, json=True)
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "status": "ok",
        "path": str(out),
        "size_bytes": out.stat().st_size,
        "attention_kinds": ["distance+sliding"],
    }
    model = load(folder)
    batch = collate(tiny.windows(model.config, tiny.long_text(20)))
    with torch.no_grad():
        found = torch.export.load(out).module()(*window_inputs(batch, model.config))
        torch.testing.assert_close(found, model.encoder(batch), rtol=0, atol=1e-4)


def test_wrong_use_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageProblemError, match=r"no such folder\.$"):
        export.run(tmp_path / "nowhere", tmp_path / "a.pt2")
    folder = tiny.model_folder(tmp_path / "model")
    with pytest.raises(UsageProblemError, match=r"^There is no folder .*nowhere\.$"):
        export.run(folder, tmp_path / "nowhere" / "a.pt2")
    (folder / "model.safetensors").write_bytes(b"12345678")
    with pytest.raises(UsageProblemError, match="damaged"):
        export.run(folder, tmp_path / "a.pt2")
