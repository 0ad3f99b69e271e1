"""The bundle of a causal model."""
