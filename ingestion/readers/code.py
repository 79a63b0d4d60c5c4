"""Source code and configuration, known by extension, by name, or by the program that its first line calls."""

from __future__ import annotations

import re

from ingestion.readers.base import ReaderResult, decode_text, extension

_EXTENSIONS = {  # language, as langchain's `Language` writes it where it has one -> extensions
    "python": "py pyw pyi pyx pxd", "js": "js mjs cjs jsx", "ts": "ts tsx mts cts", "vue": "vue", "svelte": "svelte",
    "java": "java", "kotlin": "kt kts", "scala": "scala sc sbt", "groovy": "groovy gradle", "clojure": "clj cljs edn",
    "go": "go", "rust": "rs", "zig": "zig", "c": "c h", "cpp": "cpp cc cxx c++ hpp hh hxx ino cu cuh", "objc": "m mm",
    "csharp": "cs", "fsharp": "fs fsx", "visualbasic6": "vb bas frm", "php": "php phtml", "ruby": "rb rake gemspec",
    "swift": "swift", "dart": "dart", "lua": "lua", "perl": "pl pm", "haskell": "hs lhs", "elixir": "ex exs",
    "erlang": "erl hrl", "ocaml": "ml mli", "elm": "elm", "r": "r", "julia": "jl", "nim": "nim",
    "sh": "sh bash zsh fish ksh", "powershell": "ps1 psm1 psd1", "batch": "bat cmd", "sql": "sql ddl dml",
    "proto": "proto", "thrift": "thrift", "graphql": "graphql gql", "sol": "sol", "cobol": "cob cbl", "fortran":
    "f f90 f95 for", "pascal": "pas", "ada": "adb ads", "lisp": "lisp el scm rkt", "tcl": "tcl", "asm": "asm s",
    "verilog": "v sv", "vhdl": "vhd vhdl", "css": "css scss sass less", "yaml": "yaml yml", "toml": "toml",
    "ini": "ini cfg conf cnf properties env editorconfig service desktop reg", "xml": "xml xsd xsl xslt plist csproj "
    "props targets pom wsdl", "hcl": "tf tfvars hcl", "nix": "nix", "cmake": "cmake", "make": "mk mak", "docker":
    "dockerfile", "diff": "diff patch", "nginx": "nginx", "vim": "vim", "awk": "awk", "json": "jsonc json5 "
    "webmanifest", "bazel": "bzl", "jinja": "j2 jinja", "applescript": "applescript", "gherkin": "feature",
}  # fmt: skip
LANGUAGES = {kind: language for language, kinds in _EXTENSIONS.items() for kind in kinds.split()}
_NAMES = {  # lower case; also with a further extension, as in "Dockerfile.dev"
    "dockerfile": "docker", "containerfile": "docker", "makefile": "make", "gnumakefile": "make", "rakefile": "ruby",
    "gemfile": "ruby", "vagrantfile": "ruby", "podfile": "ruby", "brewfile": "ruby", "jenkinsfile": "groovy",
    "procfile": "yaml", "build": "bazel", "workspace": "bazel", "justfile": "make", "go.mod": "go", "go.sum": "go",
    "cargo.lock": "toml", "poetry.lock": "toml", "uv.lock": "toml", "pipfile": "toml", "codeowners": "ini",
    ".gitignore": "ini", ".gitattributes": "ini", ".gitmodules": "ini", ".dockerignore": "ini", ".npmrc": "ini",
    ".env": "ini", ".editorconfig": "ini", ".bashrc": "sh", ".bash_profile": "sh", ".profile": "sh", ".zshrc": "sh",
    ".vimrc": "vim", ".htaccess": "nginx", ".prettierrc": "json", ".eslintrc": "json", ".babelrc": "json",
}  # fmt: skip
_PATTERNS = (("cmakelists.txt", "cmake"), ("requirements.txt", "ini"), ("constraints.txt", "ini"))
_PROGRAMS = {
    "python": "python", "node": "js", "deno": "ts", "bun": "ts", "bash": "sh", "sh": "sh", "zsh": "sh", "dash": "sh",
    "ksh": "sh", "fish": "sh", "perl": "perl", "ruby": "ruby", "php": "php", "lua": "lua", "rscript": "r", "pwsh":
    "powershell", "awk": "awk", "gawk": "awk", "make": "make", "elixir": "elixir", "groovy": "groovy", "tclsh": "tcl",
}  # fmt: skip
_shebang = re.compile(rb"(?:\xef\xbb\xbf)?#![ \t]*(?:[^\s]*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?([A-Za-z]+)")


def code_language(name: str, data: bytes = b"") -> str:
    """ "python", "sql" ...; "" for what is no source code by its name, nor, without an extension, by a "#!"."""
    base = name.rpartition("/")[2].lower()
    kind = extension(base)
    stem = base.partition(".")[0] if not base.startswith(".") else base
    named = dict(_PATTERNS).get(base) or _NAMES.get(base) or LANGUAGES.get(kind)
    if named or kind not in ("", "txt", "in", "am", "dev", "prod", "test", "local", "example", "sample", "template"):
        return named or ""
    if kind in ("", "txt") and (found := _shebang.match(data)):
        return _PROGRAMS.get(found[1].decode().lower(), "sh")
    return "" if kind == "txt" else _NAMES.get(stem, "ini" if base.startswith(".env.") else "")


def read_code(name: str, data: bytes) -> ReaderResult:
    """Its lines are those of the file."""
    text, metadata = decode_text(name, data)
    language = code_language(name, data)
    return ReaderResult(text, "code", "code", {**metadata, "programming_language": language}, language)
