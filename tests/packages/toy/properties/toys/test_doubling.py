"""Holds."""

from toy.checks import property_of

PROPERTY = property_of("toys/doubling")
