"""Many rows: a transformation of Arrow record batches that any engine can run, and files shortened on all cores."""
