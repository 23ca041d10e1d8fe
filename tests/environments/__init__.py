"""Where laconic runs: other Pythons, other versions of its libraries, machines on which little may be written.

`python -m tests.environments` runs the matrix; `test_conditions.py` the part that needs no other Python.
"""
