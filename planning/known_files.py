"""What the rules know of the stored files beside their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class KnownFiles:
    """The files' titles or first headings by their names, and the names from the newest file to the oldest."""

    titles: Mapping[str, str] = field(default_factory=dict)
    newest: Sequence[str] = ()

    def newest_of(self, names: Sequence[str]) -> str | None:
        """The file of these that was stored last; None where it is not known of each."""
        places = {name: place for place, name in enumerate(self.newest)}
        return min(names, key=places.__getitem__) if all(name in places for name in names) else None


NOTHING_KNOWN = KnownFiles()
