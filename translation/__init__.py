"""Search terms of one language in the other, by a dictionary that ships with the product: no model, no network."""
