"""What can be computed for a unit of analysis."""
