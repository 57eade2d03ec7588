"""`pytest tests/models --device cuda` runs the contract tests of the networks on an accelerator, with the same code."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", choices=("cpu", "cuda"), help="where the networks are tested")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """Where to put models, batches and plans; the test is skipped where there is no such device."""
    import torch

    asked: str = request.config.getoption("--device")
    if asked == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    return asked
