"""A library of a module's own files; and every error that a test meets is told in whole sentences of both languages."""

import pytest

from library import Library
from tests.whole_sentences import errors_are_told_wholly

__all__ = ["errors_are_told_wholly"]


@pytest.fixture
async def library(make_settings, request):
    """With the `FILES` of the module, by name."""
    async with await Library.open(make_settings()) as library:
        for name, text in request.module.FILES.items():
            await library.add(name, text.encode())
        yield library
