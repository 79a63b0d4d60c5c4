"""Source code and configuration, known by the extension."""

from __future__ import annotations

from ingestion.readers.base import Reading, decoded, extension

LANGUAGES = {  # extension -> name as langchain's `Language` writes it, where it has one
    "py": "python", "js": "js", "mjs": "js", "jsx": "js", "ts": "ts", "tsx": "ts", "java": "java", "kt": "kotlin",
    "go": "go", "rs": "rust", "c": "c", "h": "c", "cpp": "cpp", "cc": "cpp", "hpp": "cpp", "cs": "csharp", "php": "php",
    "rb": "ruby", "swift": "swift", "scala": "scala", "lua": "lua", "pl": "perl", "hs": "haskell", "ex": "elixir",
    "r": "r", "sh": "sh", "bash": "sh", "ps1": "powershell", "sql": "sql", "proto": "proto", "yaml": "yaml",
    "yml": "yaml", "json": "json", "toml": "toml", "ini": "ini", "css": "css", "vue": "js",
}  # fmt: skip


def read_code(name: str, data: bytes) -> Reading:
    """Its lines are those of the file."""
    text, metadata = decoded(name, data)
    language = LANGUAGES[extension(name)]
    return Reading(text, "code", "code", {**metadata, "programming_language": language}, language)
