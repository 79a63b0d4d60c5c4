"""Vectors in a file: what goes in comes out, in slices that need not fit into memory together."""

from __future__ import annotations

import numpy as np

from ingestion.vector_spool import VectorSpool


def test_rows_come_back_as_often_as_they_are_read(tmp_path):
    rows = np.random.default_rng(0).random((2_500, 8)).astype(np.float16).astype(np.float32)  # as they are stored
    with VectorSpool(8, tmp_path) as spool:
        for part in (rows[:1_300], rows[:0], rows[1_300:]):
            spool.append(part)
        assert len(spool) == 2_500
        assert np.array_equal(np.array(list(spool)), rows)
        spool.append(rows[:1])
        assert np.array_equal(np.array(list(spool)), np.vstack([rows, rows[:1]]))
    assert list(tmp_path.iterdir()) == []


def test_a_library_without_a_folder_has_one_too(tmp_path):
    with VectorSpool(4, tmp_path / "nowhere") as spool:
        assert list(spool) == []
