"""A library for asynchronous code."""

from citewise.caches import CacheCalls
from citewise.documents import DocumentCalls
from citewise.management import ManagementCalls
from citewise.questions import QuestionCalls
from citewise.sources import SourceCalls
from citewise.unanswered import UnansweredCalls


class AsyncCitewise(DocumentCalls, ManagementCalls, SourceCalls, QuestionCalls, CacheCalls, UnansweredCalls):
    """A library with everything that answers from it. Open within `async with`, or between `start` and `close`."""
