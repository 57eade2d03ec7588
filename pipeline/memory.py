"""Memory given back to the system.

glibc keeps what a thread has freed for that thread, and pictures of pages are large: after a few documents that is a
hundred megabytes which nobody uses.
"""

import ctypes
from functools import cache

_M_ARENA_MAX = -8


@cache
def share_arena() -> None:
    """From now on let all threads of this process allocate from one arena, which can be trimmed; glibc only."""
    libc = _libc()
    if libc:
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Give the system all pages that hold nothing; glibc only."""
    libc = _libc()
    if libc:
        libc.malloc_trim(0)


@cache
def _libc() -> ctypes.CDLL | None:
    """The C library, where it is glibc."""
    try:
        libc = ctypes.CDLL("libc.so.6")
        return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None
    except OSError:
        return None
