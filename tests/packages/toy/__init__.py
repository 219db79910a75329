"""A package of a user: theorems of its own, found through an entry point."""
