"""The numbers of the advisory locks, by which programs over one database take turns."""

from __future__ import annotations

_OURS = 0x63697465 << 32
MIGRATING = _OURS + 2  # of many programs that start at once, one migrates
ATTEMPTS = _OURS + 3  # attempts to log in are counted one after the other
CHECKPOINTS = _OURS + 4  # one instance at a time makes the tables of checkpoints
MERGING = _OURS + 5  # segments of postings
CHANGING = _OURS + 6  # the library; who waits has it in turn, which the lock of a row that changes does not promise
SWAPPING = _OURS + 7  # one space at a time is made ready
HOLDING = 0x63697465  # with a second number, of the work that one program at a time does
