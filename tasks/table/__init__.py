"""Cells, columns and tables, whatever they are for."""
