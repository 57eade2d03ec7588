"""LayoutLM's layout embeddings (arXiv:1912.13318 section 2.2): a table of places for x, y, height and width."""

from torch import Tensor, nn

PLACES = 1024


class Layout(nn.Module):
    """Left and right share the table of x, top and bottom that of y."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.x, self.y = nn.Embedding(PLACES, hidden_size), nn.Embedding(PLACES, hidden_size)
        self.height, self.width = nn.Embedding(PLACES, hidden_size), nn.Embedding(PLACES, hidden_size)

    def start_gently(self) -> None:
        """Zero."""
        for table in (self.x, self.y, self.height, self.width):
            nn.init.zeros_(table.weight)

    def forward(self, boxes: Tensor) -> Tensor:
        """(T, 4) on a 0–1000 grid → (T, hidden)."""
        x0, y0, x1, y1 = boxes.long().unbind(1)
        where: Tensor = self.x(x0) + self.y(y0) + self.x(x1) + self.y(y1)
        size: Tensor = self.height(y1 - y0) + self.width(x1 - x0)
        return where + size
