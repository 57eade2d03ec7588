from typing import Any

import pytest

from pipeline.limits import Limits


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_pages": 0}, "max_pages is 0"),
        ({"page_seconds": 20.0, "document_seconds": 10.0}, r"page_seconds \(20\) is more than document_seconds \(10\)"),
        ({"max_pixels": 400_000_000}, "memory_bytes .* too little"),
        ({"scratch_bytes": 1_000_000}, "scratch_bytes .* too little"),
    ],
)
def test_limits_that_leave_no_room_for_each_other_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Limits(**wrong)
