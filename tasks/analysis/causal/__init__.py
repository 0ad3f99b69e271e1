"""Causal graphs: structure, identification, tables, tests."""
