"""Question sets asked of a library: runs, comparisons, and the choice of settings."""
