"""What works against Gradio or beneath its public interface, and nothing else: README.md says what and why."""
