"""Errors that name the condition, the value found and the way out."""


class ConditionError(ValueError):
    """A condition of the theory that an input does not meet.

    Parameters
    ----------
    condition : str
        The condition, in the field's words, e.g. ``"K >= 1"``.
    value : object
        What was found instead.
    remedy : str
        What the caller can do about it.
    """

    def __init__(self, condition: str, value: object, remedy: str) -> None:
        self.condition = condition
        self.value = value
        self.remedy = remedy
        super().__init__(f"{type(self).__name__}: needs {condition}; found {value}; {remedy}")


class UnknownName(ConditionError, LookupError):
    """A name (symbol, theorem, assumption, reference) that is not registered."""


class MissingValue(ConditionError, LookupError):
    """A symbol without a value, or with one too many."""


class OutOfRange(ConditionError):
    """A value outside the range that its symbol declares."""


class TooLarge(ConditionError):
    """A sum, a recurrence or a number that is too long to be evaluated term by term."""


class DimensionMismatch(ConditionError):
    """An expression whose parts carry different dimensions."""


class NotOneNumber(ConditionError, TypeError):
    """An enclosure where one number is wanted: which of its ends, the caller says."""


class PremiseNotMet(ConditionError):
    """A premise that is false or undecided at the given values; no bound is produced."""


class ProofError(ConditionError):
    """A proof graph that is malformed (as opposed to a fact that fails)."""
