"""Twice a bounded number is bounded."""

from toy.theory import doubling

THEOREM = doubling("toys/wrong")
