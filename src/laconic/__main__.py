"""`python -m laconic` is the program."""

from laconic.cli import main

main()
