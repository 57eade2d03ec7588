import torch

from models.heads.classify import Head
from pipeline.dataset import collate
from tests import tiny


def test_a_window_is_judged_by_its_first_token_and_its_mean() -> None:
    config = tiny.config()
    batch = collate(tiny.windows(config, "this agreement", "party"))
    hidden = torch.randn(len(batch.input_ids), 32)
    head = Head(config, {"labels": ["a", "b"]}).eval()
    wanted = [head.output(torch.cat([part[0], part.mean(0)])) for part in (hidden[:4], hidden[4:])]
    torch.testing.assert_close(head(hidden, batch), torch.stack(wanted))


def test_the_mean_of_many_half_precision_numbers_is_exact() -> None:
    config = tiny.config(max_tokens=4096, kinds={"sliding": {"window": 1}}, attention="sliding")
    head = Head(config, {"labels": ["a", "b"]}).eval().bfloat16()
    few, many = (collate(tiny.windows(config, tiny.long_text(n, known=tiny.WHOLE))) for n in (1, 4000))
    logits = [head(torch.full((len(b.input_ids), 32), 0.7, dtype=torch.bfloat16), b) for b in (few, many)]
    assert torch.equal(*logits)
