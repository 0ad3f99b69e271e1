"""The picture of a bundle that a person looks at first."""
