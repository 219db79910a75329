"""Chapter."""
