"""How good compressions are: additive statistics, scores with signatures, reports, significance."""
