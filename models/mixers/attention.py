"""Multi-head attention over the keys of a plan, global tokens apart."""

from collections.abc import Callable

from torch import Tensor, nn

from models.attention.attend import attend, attend_global, attend_unprojected
from models.attention.pack import PackedPlan
from models.batch import Batch
from models.config import LongleafConfig

Kernel = Callable[[Tensor, Tensor, Tensor, PackedPlan, float], Tensor]


class Mixer(nn.Module):
    """Attention by `batch.plans[kind]`. Local tokens' is computed by `kernel`, see `use_kernel`.

    With `LongleafConfig.global_projections` a global token's own attention has separate query, key and value
    projections, which start as copies of the others (Longformer, arXiv:2004.05150 section 3.1); what the other tokens
    get from it does not.
    """

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.heads = config.num_attention_heads
        self.dropout = config.attention_probs_dropout_prob
        self.kernel: Kernel = attend
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.output = nn.Linear(size, size)
        self.has_global = config.global_projections
        if self.has_global:
            self.query_global, self.key_global = nn.Linear(size, size), nn.Linear(size, size)
            self.value_global = nn.Linear(size, size)

    def start_gently(self) -> None:
        """Let global tokens begin with the projections of the others."""
        if self.has_global:
            pairs = (self.query, self.query_global), (self.key, self.key_global), (self.value, self.value_global)
            for ours, its in pairs:
                its.load_state_dict(ours.state_dict())

    def forward(self, hidden: Tensor, batch: Batch, kind: str) -> Tensor:
        """(T, hidden) → (T, hidden)."""
        plan = batch.plans[kind]
        q, k, v = (x.unflatten(1, (self.heads, -1)) for x in (self.query(hidden), self.key(hidden), self.value(hidden)))
        dropout = self.dropout if self.training else 0.0
        found = self.kernel(q, k, v, plan, dropout)  # (T, H, D)
        if self.has_global:
            found = self._global_rows(hidden, plan, found, dropout)
        else:
            found = attend_global(q, k, v, plan, found, dropout)
        mixed: Tensor = self.output(found.flatten(1))
        return mixed

    def _global_rows(self, hidden: Tensor, plan: PackedPlan, found: Tensor, dropout: float) -> Tensor:
        """`found` (T, H, D), its rows of global tokens replaced in place, by the projections of their own."""
        for window, rows in plan.windows:
            q = self.query_global(hidden[rows]).unflatten(1, (self.heads, -1))
            part = attend_unprojected(q, hidden[window], self.key_global, self.value_global, dropout)
            found.index_copy_(0, rows, part.to(found.dtype))
        return found


def use_kernel(model: nn.Module, kernel: Kernel) -> None:
    """Have all attention in a model computed by another function with the contract of `attend`."""
    for module in model.modules():
        if isinstance(module, Mixer):
            module.kernel = kernel
