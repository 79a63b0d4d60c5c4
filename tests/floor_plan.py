"""The floor plan of docs/architecture.md, drawn from the imports: `scripts/floor-plan` writes it into the page."""

from __future__ import annotations

from tests.test_imports import FILES, LAYERS, LEVEL, ROOT, imported

PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- floor plan: scripts/floor-plan writes it -->", "<!-- end of the floor plan -->"
BESIDE = {"benchmarks"}  # not a part of the product


def room_imports() -> dict[str, set[str]]:
    """The rooms that each room imports, by name."""
    found: dict[str, set[str]] = {room: set() for layer in LAYERS for room in layer - BESIDE}
    for path in FILES:
        room = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if room in found:
            found[room] |= {name for name in imported(path) if name in found and name != room}
    return found


def without_detours(imports: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no chain of others implies, which are few enough to be drawn."""
    reach: dict[str, set[str]] = {}
    for room in sorted(imports, key=LEVEL.__getitem__, reverse=True):  # from the ground up
        reach[room] = imports[room].union(*(reach[below] for below in imports[room]))
    return [
        (room, below)
        for room in sorted(imports, key=lambda room: (LEVEL[room], room))
        for below in sorted(imports[room], key=lambda below: (LEVEL[below], below))
        if not any(below in reach[other] for other in imports[room] - {below})
    ]


def picture() -> str:
    """A Mermaid diagram: one box for each floor, the highest one first, and its rooms."""
    imports = room_imports()
    lines = ["```mermaid", "flowchart TB"]
    for number, layer in enumerate(LAYERS):
        rooms = sorted(layer & imports.keys())
        lines.append(f'  subgraph floor{len(LAYERS) - number}["floor {len(LAYERS) - number}"]')
        lines += [f'    {node_of(room)}["{name_of(room)}"]' for room in rooms]
        lines.append("  end")
    lines += [f"  {node_of(room)} --> {node_of(below)}" for room, below in without_detours(imports)]
    return "\n".join([*lines, "```"])


def node_of(room: str) -> str:
    """Its id in the picture: "graph" alone would be a word of Mermaid's."""
    return f"{room}_room"


def name_of(room: str) -> str:
    """As a path: a folder or a file."""
    return f"{room}/" if (ROOT / room).is_dir() else f"{room}.py"


def renewed(page: str) -> str:
    """The page with the picture of today. Raises ValueError where it lacks a marker."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} lacks the marker {END if begin else BEGIN}")
    return f"{before}{begin}\n{picture()}\n{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
