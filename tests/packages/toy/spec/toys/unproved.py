"""Twice a bounded number is bounded, without the step."""

from toy.theory import doubling

THEOREM = doubling("toys/unproved", proved=False)
