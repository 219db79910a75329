"""Chapter toys."""
