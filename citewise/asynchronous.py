"""A library for asynchronous code."""

from citewise.caches import CacheCalls
from citewise.documents import Documents
from citewise.managing import Managing
from citewise.questions import Questions
from citewise.sources import Sources
from citewise.unanswered import UnansweredCalls


class AsyncCitewise(Documents, Managing, Sources, Questions, CacheCalls, UnansweredCalls):
    """A library with everything that answers from it. Open within `async with`, or between `start` and `close`."""
