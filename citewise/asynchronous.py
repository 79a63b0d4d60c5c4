"""A library for asynchronous code."""

from citewise.caches import CacheCalls
from citewise.documents import DocumentCalls
from citewise.glossary import GlossaryCalls
from citewise.lab import LabCalls
from citewise.questions import QuestionCalls
from citewise.sources import SourceCalls
from citewise.unanswered import UnansweredCalls
from graph.management import LibraryManagement


class AsyncCitewise(
    DocumentCalls, SourceCalls, QuestionCalls, CacheCalls, UnansweredCalls, GlossaryCalls, LabCalls, LibraryManagement
):
    """A library with everything that answers from it. Open within `async with`, or between `start` and `close`."""
