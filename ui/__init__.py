"""The page."""

from ui.gradio_internals import help_texts

help_texts.install()  # before any file of the page loads Gradio
