from hypothesis import settings

# The first example of a kernel pays for its compilation, so examples have no deadline.
settings.register_profile("laconic", deadline=None)
settings.load_profile("laconic")
