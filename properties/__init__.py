"""What is checked: every claim of `spec` on generated, exact and real instances of `impl`."""
