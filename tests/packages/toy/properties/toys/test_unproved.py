"""Holds, though its proof fails."""

from toy.checks import property_of

PROPERTY = property_of("toys/unproved")
