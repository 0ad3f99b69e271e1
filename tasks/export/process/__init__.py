"""The bundle of a process trace."""
