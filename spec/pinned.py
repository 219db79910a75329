"""The lemmas that rest on their notes alone, by theorem: `verify` fails when a proof argues one that is not listed."""

PINNED: dict[str, tuple[str, ...]] = {
    "sampling/covering-lipschitz": ("words",),
}
