from models.attention.kinds.full import allowed
from tests.models.attention.dense import layout


def test_a_query_sees_everything() -> None:
    seen = allowed(layout(50, (0,)), 20, 30)
    assert seen.shape == (10, 50)
    assert seen.all()
