"""One error for each condition that a computation can find unmet."""

from spec.language.errors import ConditionError
from spec.language.errors import TooLarge as TooLarge


class NotFinite(ConditionError):
    """A value that is infinite or not a number."""


class NotRealFloating(ConditionError, TypeError):
    """An input that is no tensor of real floating point numbers, or one that has no values."""


class UnknownChoice(ConditionError, LookupError):
    """A word that is none of an option's."""


class LogitsOutOfBox(ConditionError):
    """A logit outside ``[-B, B]``."""


class ControlOutOfClass(ConditionError):
    """A control that leaves its class: its blocks' radii, its Lipschitz constant or its variation."""


class DegenerateGrid(ConditionError):
    """A grid of depth without steps, or with steps that are not positive."""


class FullyMaskedRow(ConditionError):
    """A query that sees no key."""


class LabelNotInSimplex(ConditionError):
    """A label that is no class, or no probability vector."""


class UnknownActivation(ConditionError, LookupError):
    """An activation that is not registered."""


class NotCertified(ConditionError, LookupError):
    """A number that no theorem bounds."""


class Diverged(ConditionError):
    """A recursion that left the finite numbers.

    Parameters
    ----------
    condition, value, remedy
        As in ``ConditionError``.
    step : int
        The first step whose result was not finite.
    """

    def __init__(self, condition: str, value: object, remedy: str, *, step: int) -> None:
        self.step = step
        super().__init__(condition, value, remedy)


class ShapeMismatch(ConditionError):
    """Tensors whose shapes do not belong together."""
