"""Which lines of source code begin a class, a function, a section: what its parts are called."""

from __future__ import annotations

import re

_LONGEST = 1000  # characters of a line that is looked at
_LONGEST_NAME = 120

_generic = re.compile(
    r"[ \t]*(?P<signature>(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"(?:\([a-z]+\))?|unsafe|sealed|partial|open|data|inline|virtual|override|local|const|extern|readonly|declare"
    r"|suspend|fileprivate|case|implicit|record)\s+)*"
    r"(?:class|interface|struct|enum|trait|impl|module|namespace|def|defp|defmodule|defmacro|func|function\*?|fn|fun"
    r"|object|protocol|extension|record|sub|union|contract|mod|actor)(?=[ \t]+[A-Za-z_$<\"'(*&]|<)[^({:;=]*)"
)
_python = re.compile(r"[ \t]*(?P<signature>(?:async\s+)?(?:class|def)\s+\w+)")
_go_method = re.compile(r"(?P<signature>func \([^()]*\) \w+)|(?P<type>type \w+) (?:struct|interface)\b")
_assigned = re.compile(  # const f = () => ..., f <- function(x)
    r"[ \t]*(?P<signature>(?:export\s+)?(?:default\s+)?(?:const|let|var)\s+[\w$]+|[\w.]+)\s*(?::[^=]{0,200})?"
    r"(?:=|<-)\s*(?:async\s+)?(?:function\b|\([^()]{0,300}\)\s*(?::[^=]{0,100})?=>|[\w$]+\s*=>)"
)
_typed = re.compile(r"[ \t]*(?P<signature>(?:export\s+)?(?:declare\s+)?type\s+\w+)\s*(?:<[^=]*)?=")
_sql = re.compile(
    r"[ \t]*(?P<signature>(?:create(?:\s+or\s+replace)?(?:\s+(?:temp|temporary|unique|materialized|unlogged))*"
    r"|alter)\s+(?:table|view|function|procedure|trigger|index|type|schema|database|sequence|package|policy|role"
    r"|event)\s+(?:if\s+not\s+exists\s+)?[\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_key = re.compile(r"[ \t]*(?:-[ \t]+)*(?P<signature>[^\s#\-{}\[\]:'\"][^:#{}\[\]]{0,80}|\"[^\"]{1,80}\"|'[^']{1,80}')"
                  r"[ \t]*:[ \t]*(?:[|>][+-]?\d?|[&!][\w/.-]+)?[ \t]*(?:#.*)?$")  # fmt: skip
_section = re.compile(r"[ \t]*(?P<signature>\[{1,2}[^\[\]]{1,100}\]{1,2})[ \t]*(?:[#;].*)?$")
_shell = re.compile(
    r"[ \t]*(?P<signature>(?:function[ \t]+[\w:.-]+|[\w:.-]+[ \t]*\([ \t]*\)))[ \t]*(?:\([ \t]*\))?[ \t]*[{(]?"
)
_selector = re.compile(r"[ \t]*(?P<signature>[^\s{}/;][^{};]*)\{[^{}]*$")
_target = re.compile(r"(?P<signature>[\w./%$(){}-][^:=#\t]{0,100}):(?!=)")
_stage = re.compile(r"(?P<signature>from\s+\S+(?:\s+as\s+\S+)?)", re.IGNORECASE)
_block = re.compile(r"(?P<signature>[\w-]+(?:[ \t]+\"[^\"]*\")*|[\w.-]+(?:[ \t]+[\w./~^$*-]+)*)[ \t]*\{[ \t]*(?:#.*)?$")
_schema = re.compile(
    r"[ \t]*(?P<signature>(?:message|service|enum|rpc|extend|oneof|type|input|interface|union|scalar|query|mutation"
    r"|fragment|directive|schema|struct|exception|feature|scenario)\b[^({=;]*)",
    re.IGNORECASE,
)
_part = re.compile(r"(?P<signature><(?:template|script|style)\b[^>]*>)")
_head = re.compile(r"[\w\s<>\[\],.*&:~?@$]+")
_callable = re.compile(r"[*&~]*+(?:(?<=~)|[A-Za-z_$])[\w$:~]*+(?:<[^<>]*+>)?")

_SCRIPTS = (_generic, _assigned, _typed)
_OWN: dict[str, tuple[re.Pattern[str], ...]] = {
    "python": (_python,), "go": (_go_method, _generic), "js": _SCRIPTS, "ts": _SCRIPTS, "vue": (_part, *_SCRIPTS),
    "svelte": (_part, *_SCRIPTS), "r": (_assigned,), "sql": (_sql,), "yaml": (_key,), "json": (_key,),
    "toml": (_section,), "ini": (_section,), "sh": (_shell,), "css": (_selector,), "make": (_target,),
    "docker": (_stage,), "hcl": (_block,), "nginx": (_block,), "proto": (_schema,), "graphql": (_schema,),
    "thrift": (_schema,), "gherkin": (_schema,), "xml": (), "diff": (),
}  # fmt: skip
_CURLY = frozenset("c cpp objc java csharp php dart groovy js ts vue svelte kotlin scala sol".split())
_SCRIPT = frozenset("js ts vue svelte".split())  # where a method has no type before its name
_CONTROL = frozenset(
    "if for while switch catch return else do new throw case sizeof using lock foreach with try finally await yield "
    "delete typeof assert goto default unless elif when match synchronized fixed echo print import package from".split()
)
_MODIFIERS = frozenset("async static get set public private protected override readonly abstract *".split())


def definition(line: str, language: str = "") -> str:
    """What the line defines, as it says it: "class Foo", "def bar", "CREATE TABLE t", "[section]"; "" for nothing.

    `language` as `Origin.code_language`; for an unknown one by the keywords that most languages share.
    """
    line = line[:_LONGEST]
    for pattern in _OWN.get(language, (_generic,)):
        if found := pattern.match(line):
            named = next(group for group in found.groups() if group)
            return _short(named.strip("\"'") if language in ("yaml", "json") else named)
    return _function(line, language) if language in _CURLY else ""


def _function(line: str, language: str) -> str:
    """A function without a keyword: a type and a name before its parameters, in a class of a script only a name."""
    bare = line.strip()
    head, parameters, rest = bare.partition("(")
    words = head.split()
    if not parameters or not words or words[0] in _CONTROL or bare.endswith((";", ":")) or not _head.fullmatch(head):
        return ""
    if not _callable.fullmatch(words[-1]) or words[-1] in _CONTROL:
        return ""
    inner = line[:1].isspace()
    opens = bare.endswith("{")
    if language in _SCRIPT:
        method = inner and opens and all(word in _MODIFIERS for word in words[:-1])
        return _short(head) if method and "=>" not in rest and not re.search(r"[\"'`]|\bfunction\b", rest) else ""
    typed = (
        len(words) > 1
        and not words[0].endswith(",")
        and (opens or bare.endswith((")", ",", "(", "const")) or ") " in rest)
    )
    built = len(words) == 1 and opens and inner and words[0][:1].isupper()  # a constructor
    return _short(head) if typed or built else ""


def _short(signature: str) -> str:
    return " ".join(signature.split()).rstrip(" {(")[:_LONGEST_NAME]
