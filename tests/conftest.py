import os

from hypothesis import settings

# The first example of a kernel pays for its compilation, so examples have no deadline. The usual run draws the same
# examples every time, so that it says the same of the same code; `make check-slow` looks for new ones.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("exploring", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
