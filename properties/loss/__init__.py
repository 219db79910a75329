"""Properties of the chapter loss."""
