"""What the package checks."""
