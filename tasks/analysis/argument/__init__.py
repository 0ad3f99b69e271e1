"""Argumentation frameworks: semantics, solver, strengths."""
