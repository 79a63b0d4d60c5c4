"""A library for asynchronous code."""

from citewise.documents import Documents
from citewise.questions import Questions
from citewise.sources import Sources


class AsyncCitewise(Documents, Sources, Questions):
    """A library with everything that answers from it. Open within `async with`, or between `start` and `close`."""
