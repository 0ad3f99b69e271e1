"""Bundles for R, Stata, SPSS and Python."""
