"""All names in one automaton, which finds those of a text in one pass over it (Aho and Corasick 1975,
doi:10.1145/360825.360855)."""

from __future__ import annotations

import re

from text import CJK

_inside = re.compile(rf"[^\W_{CJK}]{{2}}")  # two characters of one word


class AhoCorasick:
    """By pyahocorasick, of the group dev: nothing that people run looks names up so. After a change the automaton is
    made anew, when it is next asked for the names of a text."""

    def __init__(self) -> None:
        from ahocorasick import AHOCORASICK, Automaton

        self._names, self._made = Automaton(), AHOCORASICK

    def add(self, name: str, place: int) -> None:
        length, *places = self._names.get(name, (len(name),))
        self._names.add_word(name, (length, *places, place))

    def remove(self, name: str) -> bool:
        return bool(self._names.remove_word(name)) if name in self._names else False

    def places(self, name: str) -> list[int]:
        return [*self._names.get(name, ())[1:]]

    def found_in(self, text: str) -> dict[str, list[int]]:
        """The names that stand in a folded text, in its order, each with its places; none that begins or ends within a
        Latin word."""
        if self._names.kind != self._made:
            self._names.make_automaton()
        found = {}
        for last, (length, *places) in self._names.iter(text) if len(self._names) else ():
            start, end = last + 1 - length, last + 1
            if not (_inside.fullmatch(text, start - 1, start + 1) or _inside.fullmatch(text, end - 1, end + 1)):
                found[text[start:end]] = places
        return found
