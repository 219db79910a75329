"""The reference flow's error lies above the truth: closed forms, 80 bits, scipy. A share of it does not."""

import math

import numpy as np
import pytest
import torch
from flow_instances import F64, U

from benchmarks.reference_error import BUDGETS, Findings, flow_of
from benchmarks.reference_truths import (
    CLOSED_FORMS,
    FIELD,
    ClosedForm,
    Problem,
    closed_form,
    numpy_field,
    refined,
    scipy_truth,
    transformers,
)
from impl.control import Path
from impl.flow import stages
from impl.flow.cash_karp import CASH_KARP
from impl.flow.dop853 import DOP853
from impl.flow.stages import local_error

# Transformers (seed, row, budget) where a step goes over a transition unseen: the two runs differ less than both err.
UNSEEN = ((2, 810, 4), (2, 127, 4), (1, 632, 2))
COUNT = 1000


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_the_error_dominates_on_a_thousand_closed_forms(name):
    problem, truth = closed_form(name, COUNT, seed=7)
    flows = {budget: flow_of(problem, budget) for budget in BUDGETS}
    for flow in flows.values():
        found = Findings.of(flow, truth)
        assert not found.below.any()
        assert not found.undecided.any()
    assert np.isfinite(Findings.of(flows[64], truth).error).mean() > 0.98
    assert Findings.of(flows[64], truth, share=0.1).below.any()


def test_the_error_dominates_on_random_transformers():
    problem = transformers(12, seed=3)
    truth = refined(problem)
    for budget in BUDGETS:
        flow = flow_of(problem, budget)
        found = Findings.of(flow, truth)
        assert not found.below.any()
        assert not found.undecided.any()
        assert Findings.of(flow, truth, share=0.01).below.any()


def test_the_error_dominates_the_distance_to_scipy():
    whole = transformers(COUNT, seed=5)
    by_error = flow_of(whole, 8).error.argsort().numpy()
    problem = whole.select(by_error[25::50])  # one of every 50, from the easiest to the hardest
    truth = scipy_truth(problem)
    found = {budget: Findings.of(flow_of(problem, budget), truth) for budget in BUDGETS}
    assert not any(each.below.any() for each in found.values())
    # Where errors are above scipy's own, some are above a hundredth of theirs, and are seen to be.
    assert not found[2].undecided.all()
    assert Findings.of(flow_of(problem, 2), truth, share=0.01).below.any()


@pytest.mark.parametrize(("seed", "row", "budget"), UNSEEN)
def test_local_errors_see_what_the_comparison_of_steps_does_not(seed, row, budget, monkeypatch):
    problem = transformers(COUNT, seed).select(np.array([row]))
    truth = scipy_truth(problem)
    assert not Findings.of(flow_of(problem, budget), truth).below.any()
    monkeypatch.setattr(stages, "local_error", lambda fine, *_: torch.zeros_like(fine))
    assert Findings.of(flow_of(problem, budget), truth).below.all()


def test_truths_agree_and_do_not_call_the_kernel():
    problem = transformers(4, seed=11)
    exact, peer = refined(problem), scipy_truth(problem)
    apart = np.sqrt(((exact.states - peer.states) ** 2).sum((-1, -2)))
    assert (apart <= exact.doubt + peer.doubt).all()
    assert (apart > 1e-3 * peer.doubt)[1:].any()
    theta, x = problem.control.coefficients[:, 0, 0], problem.x0[:, 0]
    ours = FIELD(x.unsqueeze(1), theta)[:, 0].numpy()
    assert np.abs(numpy_field(x.numpy(), theta.numpy()) - ours).max() <= 300 * U * np.abs(ours).max()


def test_errors_that_are_not_small_against_the_states_so_far_are_infinite():
    rates = torch.linspace(-30, 30, 601, dtype=F64)[:, None, None]
    x0 = torch.ones(601, 1, 1, 1, dtype=F64)
    flow = flow_of(Problem(ClosedForm("linear"), Path.constant_on_cells(rates, 1.0), None, x0), 2)
    errors, sizes = flow.errors[..., 0], flow.states.flatten(-3).norm(dim=-1)
    finite = errors.isfinite()
    assert (errors <= 0.1 * sizes.cummax(-1).values)[finite].all()
    assert (errors > 0.03 * sizes.cummax(-1).values)[finite].any()
    assert not finite.all()
    assert not (finite[:, 1:] & ~finite[:, :-1]).any()  # nothing is known again later


def test_a_step_adds_to_the_state_once(monkeypatch):
    problem, truth = closed_form("linear", COUNT, seed=7)

    def one_by_one(work: stages.Stages, start: torch.Tensor, end: torch.Tensor) -> None:
        end.copy_(start)
        for weight, slope in zip(work.weights, work.slopes, strict=True):
            end.add_(weight * slope)

    assert not Findings.of(flow_of(problem, 2), truth).below.any()
    monkeypatch.setattr(stages.Stages, "advance", one_by_one)
    assert Findings.of(flow_of(problem, 2), truth).below.any()


# Pairs of embedded errors, for a state of size 1, of a method of order 8 with embedded ones of orders 5 and 3.
@pytest.mark.parametrize(
    ("fine", "coarse", "expected"),
    [
        (1e-4, 1e-2, 1e-7),  # θ = 1/10: three orders beyond the finer method
        (4e-6, 1e-4, 3.2e-8),  # θ = 1/5, the last that converges
        (4.1e-6, 1e-4, 1.041e-4),  # no longer
        (25.0, 100.0, 125.0),  # θ = 1/2, the last that is bounded whatever its size
        (2.6e-5, 1e-4, math.inf),  # diverges and is not negligible
        (2.6e-5, 7e-5, 9.6e-5),  # diverges, but is
        (0.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (1e-5, 0.0, 1e-5),
        (1e-3, 0.0, math.inf),
        (math.nan, 1.0, math.inf),
        (math.inf, math.inf, math.inf),
    ],
)
def test_local_errors_follow_the_ratio_of_the_embedded_ones(fine, coarse, expected):
    found = local_error(*(torch.tensor(v, dtype=F64) for v in (fine, coarse, 1.0)), DOP853)
    assert float(found) == pytest.approx(expected, rel=1e-12)


def test_a_method_of_order_five_goes_one_order_beyond_its_embedded_one():
    # Orders 4 and, by Euler's method, 1: θ = (1e-6)^{1/3} = 1/100.
    found = local_error(*(torch.tensor(v, dtype=F64) for v in (1e-8, 1e-2, 1.0)), CASH_KARP)
    assert float(found) == pytest.approx(1e-10, rel=1e-12)
