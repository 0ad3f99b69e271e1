"""Process traces: dates as intervals, logs, evidence."""
