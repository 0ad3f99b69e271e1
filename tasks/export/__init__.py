"""Datasets as files: one module per format, each from a result to file names and bytes."""
