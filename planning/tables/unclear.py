"""What is raised where a question may mean several things."""


class Unclear(Exception):
    """A question that the rules do not read for certain."""
