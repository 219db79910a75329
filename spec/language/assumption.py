"""Named assumptions: a statement in words and, for the proof graph, a relation with its free variables and guard."""

from dataclasses import dataclass

import sympy as sp

from spec.language.template import Statement


@dataclass(frozen=True)
class Assumption:
    """A named assumption of the theory.

    Attributes
    ----------
    name : str
        Kebab-case name, unique.
    words : str
        The statement in words.
    statement : Statement or None
        The relation it gives to proofs; None where it only fixes what the objects are (Θ fixed before the sample).
    premise : sympy relation or None
        A relation between symbols alone, decided before a bound is evaluated.
    """

    name: str
    words: str
    statement: Statement | None = None
    premise: sp.Rel | None = None


class Assumptions:
    """The register of assumptions; a second one of a name is refused."""

    def __init__(self) -> None:
        self.by_name: dict[str, Assumption] = {}

    def add(
        self, name: str, words: str, statement: Statement | None = None, premise: sp.Rel | None = None
    ) -> Assumption:
        """Register an assumption and return it."""
        if name in self.by_name:
            raise ValueError(f"the assumption {name} exists already: {self.by_name[name].words}")
        self.by_name[name] = Assumption(name, words, statement, premise)
        return self.by_name[name]
