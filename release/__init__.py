"""What is made for a release besides the wheel and the source distribution."""
