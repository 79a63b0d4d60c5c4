"""The page that asks who comes, or says that nobody can: nothing from anywhere."""

from __future__ import annotations

import html
import secrets
from string import Template

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Scope

_WORDS = {
    "zh": {"lang": "zh", "title": "登录", "name": "用户名", "password": "密码", "go": "登录"},
    "en": {"lang": "en", "title": "Log in", "name": "User name", "password": "Password", "go": "Log in"},
}
_PAGE = Template("""<!doctype html>
<html lang="$lang"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Citewise · $title</title>
<style nonce="$nonce">
:root { color-scheme: light dark; --ink: #1e293b; --back: #f8fafc; --card: #fff; --line: #94a3b8; --key: #0f766e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e2e8f0; --back: #0f172a; --card: #1e293b; --line: #64748b; --key: #0f766e; }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
form, main { box-sizing: border-box; width: min(340px, 92vw); padding: 28px; background: var(--card);
  border-radius: 10px; box-shadow: 0 1px 4px rgb(0 0 0 / .15); display: grid; gap: 14px; }
h1 { margin: 0 0 4px; font-size: 20px; font-weight: 600; }
label { display: grid; gap: 4px; font-size: 14px; }
input, button { font: inherit; padding: 8px 10px; border-radius: 6px; border: 1px solid var(--line); }
input { background: transparent; color: inherit; }
button { background: var(--key); color: #fff; border-color: var(--key); cursor: pointer; }
:focus-visible { outline: 2px solid var(--key); outline-offset: 2px; }
p { margin: 0; font-size: 14px; }
</style></head>
<body>$body</body></html>
""")
_ASKED = Template("""<form method="post" action="login"><h1>Citewise</h1>$told
<label>$name<input name="username" autocomplete="username" required autofocus></label>
<label>$password<input name="password" type="password" autocomplete="current-password" required></label>
<button>$go</button></form>""")
_CLOSED = Template("<main><h1>Citewise</h1>$told</main>")


def login_page(
    scope: Scope, problem: str = "", status: int = 200, headers: dict[str, str] | None = None, closed: bool = False
) -> HTMLResponse:
    """`told`: what is wrong, "中文 / English". `closed`: nobody can log in."""
    zh = Headers(scope=scope).get("accept-language", "").lower().startswith("zh")
    sentence = problem.partition(" / ")[0 if zh else 2]
    nonce = secrets.token_urlsafe(16)
    words = _WORDS["zh" if zh else "en"]
    alert = f'<p role="alert">{html.escape(sentence)}</p>' if sentence else ""
    body = (_CLOSED if closed else _ASKED).substitute(words, told=alert)
    shown = _PAGE.substitute(words, nonce=nonce, body=body)
    policy = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    kept = {"Content-Security-Policy": policy, "Cache-Control": "no-store", **(headers or {})}
    return HTMLResponse(shown, status, kept)
