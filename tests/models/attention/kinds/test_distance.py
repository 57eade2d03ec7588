import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from models.attention.kinds.distance import allowed
from models.attention.layout import Layout
from tests.models.attention.dense import layout

SCATTERED = np.random.default_rng(1).uniform(0, 800, (300, 2)).astype(np.float32)
CENTRES = {
    "words on lines": layout(300).centres,
    "scattered": SCATTERED,
    "ten places": SCATTERED[np.random.default_rng(2).integers(10, size=300)],
    "one place": np.full((300, 2), 7, dtype=np.float32),
    "far down a long document": SCATTERED + np.float32([0, 8192]),
}


def by_hand(window: Layout, query: int, neighbours: int) -> set[int]:
    """The nearest local keys of a query; of those equally far, the first."""
    squared = ((window.centres.astype(float) - window.centres[query].astype(float)) ** 2).sum(1)
    keys = [i for i in range(window.n) if not window.is_global[i]]
    return set(sorted(keys, key=lambda i: (np.float32(squared[i]), i))[:neighbours])


def rows(
    centres: NDArray[np.float32], global_tokens: tuple[int, ...], neighbours: int
) -> tuple[Layout, list[set[int]]]:
    is_global = np.zeros(len(centres), dtype=bool)
    is_global[list(global_tokens)] = True
    window = Layout(centres, is_global)
    seen = allowed(window, 0, window.n, neighbours=neighbours)
    return window, [set(np.flatnonzero(row).tolist()) for row in seen]


@pytest.mark.parametrize("centres", CENTRES.values(), ids=CENTRES)
@pytest.mark.parametrize("neighbours", [1, 40, 299, 300])
def test_as_far_as_scikit_learn_finds_them(centres: NDArray[np.float32], neighbours: int) -> None:
    distances, _ = NearestNeighbors(n_neighbors=neighbours, algorithm="kd_tree").fit(centres).kneighbors(centres)
    _, seen = rows(centres, (), neighbours)
    gaps = [centres[sorted(keys)].astype(float) - centres[query].astype(float) for query, keys in enumerate(seen)]
    found = np.sort([np.hypot(*gap.T) for gap in gaps], axis=1)
    np.testing.assert_allclose(found, distances, rtol=0, atol=2e-3)


@pytest.mark.parametrize("centres", [CENTRES["words on lines"], CENTRES["ten places"], CENTRES["one place"]])
@pytest.mark.parametrize("neighbours", [1, 40, 512])
def test_ties_go_to_the_first_in_reading_order(centres: NDArray[np.float32], neighbours: int) -> None:
    window, seen = rows(centres, (), neighbours)
    for query in range(0, 300, 7):
        assert seen[query] == by_hand(window, query, neighbours)


@pytest.mark.parametrize("neighbours", [1, 40, 297, 298, 512])
def test_global_tokens_take_no_place(neighbours: int) -> None:
    window, seen = rows(CENTRES["ten places"], (0, 150), neighbours)
    for query in range(1, 300, 13):
        assert len(seen[query]) == min(neighbours, 298)
        assert seen[query] == by_hand(window, query, neighbours)


def test_neighbours_lie_across_a_page_break() -> None:
    """The last line of a page is nearer to the first of the next than to a line in its middle."""
    centres = np.array([(100, y) for y in (80, 400, 780, 792 + 20, 792 + 400)], dtype=np.float32)
    _, seen = rows(centres, (), 2)
    assert seen[2] == {2, 3}


def scattered(draw: np.random.Generator) -> NDArray[np.float32]:
    """A layout of some kind, of up to 400 tokens."""
    n = int(draw.integers(2, 400))
    order = np.arange(n)
    lines = np.stack([order % 12 * 40.0, order // 12 * 12.0], axis=1)
    kinds = {
        "pages": np.stack([order % 12 * 40.0, order // 60 * 792.0 + order // 12 % 5 * 12.0], axis=1),
        "columns": np.stack([order * 3 // n * 200.0, order % (n // 3 + 1) * 12.0], axis=1),
        "one line": np.stack([order * 7.0, np.zeros(n)], axis=1),
        "one column": np.stack([np.zeros(n), order * 7.0], axis=1),
        "one place": np.full((n, 2), 3.0),
        "shuffled": draw.permutation(lines),
        "outliers": lines + draw.choice([0.0, -5e4, 1e6], (n, 1), p=(0.9, 0.05, 0.05)),
        "far down": lines + draw.uniform(0, 0.1, (n, 2)) + (0, 1e5),
    }
    return kinds[str(draw.choice(list(kinds)))].astype(np.float32)


@pytest.mark.parametrize("seed", range(150))
def test_nothing_near_is_lost_for_being_out_of_reach(seed: int) -> None:
    """On layouts of many kinds, wherever global tokens stand: the nearest of all tokens, found by sorting them."""
    draw = np.random.default_rng(seed)
    centres = scattered(draw)
    n = len(centres)
    window = Layout(centres, draw.random(n) < draw.choice([0.0, 0.02, 0.5]))
    neighbours = int(draw.integers(1, n + 1))
    start = int(draw.integers(n))
    stop = int(min(n, start + draw.choice([1, 16, 128])))
    seen = allowed(window, start, stop, neighbours=neighbours)
    local = np.flatnonzero(~window.is_global)
    for query in range(start, stop):
        squared = np.square(centres[query, 0] - centres[local, 0]) + np.square(centres[query, 1] - centres[local, 1])
        nearest = local[np.argsort(squared, kind="stable")[:neighbours]]
        assert np.flatnonzero(seen[query - start]).tolist() == sorted(nearest.tolist())
