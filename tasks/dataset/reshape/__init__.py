"""Between graphs, tables and texts: what tools 20 to 22 do."""
