"""Data folders and backups as earlier versions wrote them; `tests/recorded/test_earlier.py` opens them.

    python -m tests.recorded.earlier NAME        writes NAME.tar.gz and NAME.zip, as this version does

Write one before the format of a file changes, under a new name, and never over an old one.
"""
