"""A cuckoo filter that carries places: 12 bits of each name in one of two buckets, in plain arrays.

Fan et al., "Cuckoo filter: practically better than Bloom" (CoNEXT 2014). Beside the fingerprint a slot has a
temperature, how often its name was asked for, and its place or, where a name has several, the head of a list of blocks
of three places. The hottest of a bucket is compared first. Two names may share bucket and fingerprint, so the name
itself is compared after a hit; without that about .2 % of unknown names are taken for known ones.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from random import Random
from zlib import crc32

_SLOTS = 4  # of a bucket
_KICKS = 500  # names that are moved to make room for one, before there are twice as many buckets
_FINGERPRINTS = 4_095  # 12 bits; 0 is an empty slot
_BLOCK = 3  # places
_END = -1
_ENCODING = "gb18030"  # of the names that are kept: two bytes for a Chinese character
_MIX = 0x9E3779B1  # so that names of one bucket have different fingerprints
_SPREAD = 0x5BD1E995


class CuckooFilter:
    def __init__(self, buckets: int = 256, *, keyed: bool = True) -> None:
        """`buckets` is a power of two. Not `keyed`: a hit is not compared with the name."""
        if buckets & (buckets - 1) or buckets < 1:
            raise ValueError(f"{buckets} buckets: not a power of two")
        self._keyed, self.names = keyed, 0
        self._chance = Random(0)  # the same names in the same order give the same filter
        self._places, self._next, self._free = array("I"), array("i"), _END  # blocks, and the first of those not used
        self._keys = bytearray()
        self._empty(buckets)

    def _empty(self, buckets: int) -> None:
        self._mask, slots = buckets - 1, buckets * _SLOTS
        self._fingerprints = array("H", bytes(2 * slots))
        self._heat = array("I", bytes(4 * slots))
        self._heads = array("I", bytes(4 * slots))  # the only place, or the first block
        self._key_starts = array("I", bytes(4 * slots))  # doubled, and 1 more for the name of an only place

    # --- asking --------------------------------------------------------------------------------------------------

    def places(self, name: str) -> list[int]:
        key = name.encode(_ENCODING)
        slot = self._slot(key, keyed=self._keyed)
        if slot is None:
            return []
        self._heat[slot] += 1
        slot = self._warmer(slot)
        return [self._heads[slot]] if self._has_one(slot) else [*self._listed(self._heads[slot])]

    def temperature(self, name: str) -> int:
        """How often the name was asked for, since it was added."""
        slot = self._slot(name.encode(_ENCODING), keyed=True)
        return 0 if slot is None else self._heat[slot]

    def _slot(self, key: bytes, *, keyed: bool) -> int | None:
        fingerprint, first = _hashes(key)
        first &= self._mask
        for bucket in (first, self._other(first, fingerprint)):
            for slot in range(bucket * _SLOTS, bucket * _SLOTS + _SLOTS):
                if self._fingerprints[slot] == fingerprint and (not keyed or self._key(slot) == key):
                    return slot
        return None

    def _other(self, bucket: int, fingerprint: int) -> int:
        """The other bucket of a fingerprint; of the other one, this."""
        return (bucket ^ (fingerprint * _SPREAD >> 3)) & self._mask

    def _has_one(self, slot: int) -> bool:
        return bool(self._key_starts[slot] & 1)

    def _key(self, slot: int) -> bytes:
        return self._key_at(self._key_starts[slot] >> 1)

    def _key_at(self, start: int) -> bytes:
        return bytes(self._keys[start + 2 : start + 2 + int.from_bytes(self._keys[start : start + 2])])

    def _kept(self, key: bytes) -> int:
        """Where it begins."""
        self._keys += len(key).to_bytes(2) + key
        return len(self._keys) - len(key) - 2

    def _warmer(self, slot: int) -> int:
        """Before what is colder in its bucket; where it stands then."""
        while slot % _SLOTS and self._heat[slot - 1] < self._heat[slot]:
            for column in (self._fingerprints, self._heat, self._heads, self._key_starts):
                column[slot - 1], column[slot] = column[slot], column[slot - 1]
            slot -= 1
        return slot

    def _listed(self, block: int) -> Iterator[int]:
        while block != _END:
            count, *rest = self._places[block * (_BLOCK + 1) : (block + 1) * (_BLOCK + 1)]
            yield from rest[:count]
            block = self._next[block]

    # --- changing ------------------------------------------------------------------------------------------------

    def add(self, name: str, place: int) -> None:
        key = name.encode(_ENCODING)
        slot = self._slot(key, keyed=True)
        if slot is not None:
            if self._has_one(slot):
                self._heads[slot] = self._block(self._heads[slot])
                self._key_starts[slot] -= 1
            self._append(self._heads[slot], place)
            return
        self._insert(key, 2 * self._kept(key) + 1, place, 0)
        self.names += 1

    def remove(self, name: str) -> bool:
        slot = self._slot(name.encode(_ENCODING), keyed=True)
        if slot is None:
            return False
        block = _END if self._has_one(slot) else self._heads[slot]
        while block != _END:  # its blocks are there for others
            after, self._next[block] = self._next[block], self._free
            self._free, block = block, after
        self._fingerprints[slot] = self._heat[slot] = 0
        self.names -= 1
        return True

    def _block(self, place: int) -> int:
        block = self._free
        if block == _END:
            block = len(self._next)
            self._places.extend([0] * (_BLOCK + 1))
            self._next.append(_END)
        else:
            self._free = self._next[block]
        start = block * (_BLOCK + 1)
        self._places[start], self._places[start + 1], self._next[block] = 1, place, _END
        return block

    def _append(self, block: int, place: int) -> None:
        while self._next[block] != _END:
            block = self._next[block]
        start = block * (_BLOCK + 1)
        count = self._places[start]
        if count == _BLOCK:
            self._next[block] = self._block(place)
        else:
            self._places[start], self._places[start + 1 + count] = count + 1, place

    def _insert(self, key: bytes, key_start: int, head: int, heat: int) -> None:
        fingerprint, bucket = _hashes(key)
        bucket &= self._mask
        moving = fingerprint, heat, head, key_start
        for _ in range(_KICKS):
            for place in (bucket, self._other(bucket, moving[0])):
                for slot in range(place * _SLOTS, place * _SLOTS + _SLOTS):
                    if not self._fingerprints[slot]:
                        self._put(slot, moving)
                        return
            victim = self._chance.randrange(2 * _SLOTS)
            bucket = self._other(bucket, moving[0]) if victim >= _SLOTS else bucket
            slot = bucket * _SLOTS + victim % _SLOTS
            moving = self._put(slot, moving)
            bucket = self._other(bucket, moving[0])
        self._grow(moving)

    def _put(self, slot: int, entry: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        """What was there before."""
        before = self._fingerprints[slot], self._heat[slot], self._heads[slot], self._key_starts[slot]
        self._fingerprints[slot], self._heat[slot], self._heads[slot], self._key_starts[slot] = entry
        return before

    def _grow(self, homeless: tuple[int, int, int, int]) -> None:
        """Twice as many buckets. A fingerprint does not tell its new one, so the names are hashed again."""
        slots = [slot for slot, fingerprint in enumerate(self._fingerprints) if fingerprint]
        entries = [(self._key(slot), self._has_one(slot), self._heads[slot], self._heat[slot]) for slot in slots]
        entries.append((self._key_at(homeless[3] >> 1), bool(homeless[3] & 1), homeless[2], homeless[1]))
        self._empty(2 * (self._mask + 1))
        self._keys = bytearray()
        for key, one, head, heat in entries:
            self._insert(key, 2 * self._kept(key) + one, head, heat)


def _hashes(key: bytes) -> tuple[int, int]:
    """Fingerprint and bucket; of a name always the same, which `hash()` is not."""
    value = crc32(key)
    return 1 + (value * _MIX >> 16 & 0xFFFF_FFFF) % _FINGERPRINTS, value
