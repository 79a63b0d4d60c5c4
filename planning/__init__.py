"""From one message to one plan: what to save, where to look, what is asked. Rules first, a model as second opinion."""
