"""Every error that a test of this folder meets is told in whole sentences of both languages."""

from tests.whole_sentences import errors_are_told_wholly

__all__ = ["errors_are_told_wholly"]
