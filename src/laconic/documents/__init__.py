"""Documents as people have them: what of them is sentences, and what is left as it is."""
