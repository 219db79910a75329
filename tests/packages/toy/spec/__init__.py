"""What the package claims."""
