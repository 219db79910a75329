"""Properties of the chapter depth."""
