"""Properties of the chapter field."""
