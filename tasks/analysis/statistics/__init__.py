"""What tool 23 makes of a table: variables, model, diagnostics."""
