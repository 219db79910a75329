"""Properties of the chapter sampling."""
