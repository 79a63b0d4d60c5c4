"""Whether a library answers as it should, and whether a change made it better or worse: question sets and figures."""
