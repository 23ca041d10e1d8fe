"""The site: documentation, reference, systems and results put together, and links checked."""
