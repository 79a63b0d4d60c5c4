"""Bodies as they come: unpacked, and never more of them than is allowed."""

import gzip
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_row import each_row
from web.decompression import BodyTooLargeError, DamagedBodyError, Decompressor

PACKERS = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP ": gzip.compress,
    "deflate": zlib.compress,
}


def raw_deflate(data):
    return zlib.compress(data, wbits=-zlib.MAX_WBITS)


def unpacked(encoding, packed, most=1_000_000, piece=65_536):
    unpacking = Decompressor(encoding, most)
    for start in range(0, len(packed), piece):
        unpacking.take(packed[start : start + piece])
    return unpacking.whole()


@given(st.binary(max_size=2000), st.sampled_from(sorted(PACKERS)), st.integers(1, 50))
def test_what_was_packed_comes_back_however_it_is_cut(data, encoding, piece):
    assert unpacked(encoding, PACKERS[encoding](data), piece=piece) == data


@given(st.binary(min_size=1, max_size=2000), st.integers(1, 50))
def test_deflate_without_its_header(data, piece):
    packed = raw_deflate(data)
    if packed[0] & 0x0F != 8 or int.from_bytes(packed[:2]) % 31:  # a stream may look as if it had one
        assert unpacked("deflate", packed, piece=piece) == data


@given(st.lists(st.binary(max_size=100), min_size=1, max_size=5), st.integers(1, 50), st.binary(max_size=5))
def test_gzip_in_several_members_with_padding_behind(parts, piece, padding):
    packed = b"".join(map(gzip.compress, parts)) + b"\0" + padding
    assert unpacked("gzip", packed, piece=piece) == b"".join(parts)


@given(
    st.binary(min_size=1, max_size=300), st.sampled_from(["gzip", "deflate"]), st.integers(1, 400), st.integers(1, 50)
)
def test_what_is_cut_short_is_never_taken_for_the_whole(data, encoding, cut, piece):
    packed = PACKERS[encoding](data)
    with pytest.raises(DamagedBodyError):
        unpacked(encoding, packed[: max(1, len(packed) - cut)], piece=piece)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]), st.integers(1, 50))
def test_any_bytes_are_unpacked_or_damaged(data, encoding, piece):
    with suppress(DamagedBodyError):
        assert isinstance(unpacked(encoding, data, piece=piece), bytes)


@each_row("encoding", sorted(PACKERS))
def test_the_limit_is_of_what_is_unpacked(encoding):
    data = bytes(1000)
    assert unpacked(encoding, PACKERS[encoding](data), most=1000) == data
    with pytest.raises(BodyTooLargeError):
        unpacked(encoding, PACKERS[encoding](data), most=999)


def test_a_bomb_never_unfolds():
    bomb = gzip.compress(bytes(100_000_000))
    tracemalloc.start()
    with pytest.raises(BodyTooLargeError):
        unpacked("gzip", bomb, most=1_000_000)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_packed_bytes_that_unfold_to_nothing_are_counted_too():
    with pytest.raises(BodyTooLargeError):
        unpacked("deflate", b"\x00\x00\x00\xff\xff" * 1000, most=4000)


def test_members_without_end_are_given_up():
    with pytest.raises(DamagedBodyError):
        unpacked("gzip", gzip.compress(b"") * 101)


@each_row("encoding", ["br", "zstd", "gzip, gzip", "compress", "nonsense"])
def test_other_encodings_are_not_guessed(encoding):
    with pytest.raises(DamagedBodyError):
        Decompressor(encoding, 100)
