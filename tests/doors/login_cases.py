"""Users of a site, and the key of a program."""

from __future__ import annotations

from doors.passwords import hash_password

KEY = "k3y-of-a-program-that-nobody-guesses"
PASSWORD, OTHER = "correct horse", "battery staple"
LINES = {"alice": hash_password(PASSWORD), "bob": hash_password(OTHER)}
