"""What 1,000 files leave in the library is what it was when it was recorded."""

from __future__ import annotations

from tests.recorded import rows


def test_a_thousand_files_leave_the_rows_that_were_recorded() -> None:
    lines = rows.now()
    assert rows.compared(lines) == []
    assert sum("document" in line for line in lines) > 900
    assert rows.PATH.stat().st_size < 300_000
