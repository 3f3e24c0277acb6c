"""How hard the prompts are: a mixture of Beta laws fitted to the k of every group by maximum likelihood.

Never from k/G: at G = 8 and p = 0.2 throughout, the mean of (k/G)^G + (1 − k/G)^G says 0.317 for 0.168.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import validation as check
from ..beta_mixtures import beta_silent_probability
from ..counts import silent_probability
from .groups import Cells

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BetaMixture:
    """A law of the success probability over prompts: Beta(a, b) components and single values of p.

    Attributes
    ----------
    weight : (m,) shares, adding up to 1
    a, b : (m,) above 0; both infinite for a single value of p
    point : (m,) that value; NaN for a Beta component
    """

    weight: Floats
    a: Floats
    b: Floats
    point: Floats

    def silent(self, group_size: ArrayLike) -> Floats:
        """E[p^G + (1 − p)^G] over prompts: (...) sizes of at least 2 to (...) shares."""
        size = check.group_size(group_size)
        return np.asarray(silent_of(self.a, self.b, self.point, size[..., None]) @ self.weight)[()]

    def log_terms(self, cells: Cells) -> Floats:
        """(c, m) log of weight × P(k of G) for each cell and component."""
        k, size = cells.k[:, None].astype(float), cells.size[:, None].astype(float)
        with np.errstate(divide="ignore"):  # a weight of 0
            return np.asarray(np.log(self.weight) + log_counts(k, size, self.a, self.b, self.point))

    def log_likelihood(self, cells: Cells) -> float:
        """Of all groups in the table, their order apart."""
        from scipy.special import logsumexp

        return float(cells.count @ logsumexp(self.log_terms(cells), axis=1))

    def __str__(self) -> str:
        return " + ".join(_terms(self))


@dataclass(frozen=True)
class Fit:
    """The mixture that BIC prefers, and what to know of it.

    Attributes
    ----------
    mixture : the law
    log_likelihood, parameters, bic : of it
    remark : a sentence where the fit is degenerate, else empty
    """

    mixture: BetaMixture
    log_likelihood: float
    parameters: int
    bic: float
    remark: str


def fit_difficulty(cells: Cells) -> Fit:
    """Fit a law of difficulty to a table of (G, k).

    Tried are one p for all prompts, one to three Beta components, and one Beta beside prompts that are never
    (p = 0) or always (p = 1) right, as far as they have at most G parameters. BIC chooses.

    Raises
    ------
    ValueError
        For an empty table.
    """
    if cells.groups == 0:
        raise ValueError("cells must hold at least one group, got none")
    rate = float(cells.count @ cells.k) / float(cells.count @ cells.size)
    best = _scored(_one_value(rate), 1, cells)
    if 0 < rate < 1:
        for betas, points, starts in _CANDIDATES:
            parameters = 3 * betas + len(points) - 1
            if parameters > cells.size.max():
                continue
            for means in starts:
                found = _scored(_climb(cells, means, points), parameters, cells)
                best = min(best, found, key=lambda fit: fit.bic)
    return best


def silent_of(a: Floats, b: Floats, point: Floats, size: Floats) -> Floats:
    """Silent share under each component, all broadcast together."""
    single = ~np.isnan(point)
    of_beta = beta_silent_probability(np.where(single, 1, a), np.where(single, 1, b), size)
    return np.where(single, silent_probability(np.where(single, point, 0), size), of_beta)


def log_counts(k: Any, size: Any, a: Floats, b: Floats, point: Floats) -> Floats:
    """log P(k of G) under each component."""
    from scipy.special import betaln, gammaln, xlog1py, xlogy

    choose = gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1)
    single = ~np.isnan(point)
    p, a, b = np.where(single, point, 0.5), np.where(single, 1, a), np.where(single, 1, b)
    of_point = xlogy(k, p) + xlog1py(size - k, -p)
    return np.asarray(choose + np.where(single, of_point, betaln(k + a, size - k + b) - betaln(a, b)))


_CANDIDATES: list[tuple[int, tuple[float, ...], list[tuple[float, ...]]]] = [
    (1, (), [(0.5,)]),
    (1, (0.0,), [(0.5,)]),
    (1, (1.0,), [(0.5,)]),
    (1, (0.0, 1.0), [(0.5,)]),
    (2, (), [(0.25, 0.75), (0.1, 0.9)]),
    (3, (), [(0.1, 0.5, 0.9)]),
]
"""Beta components, single values, and where to start: means at these quantiles of k/G."""

_NARROW, _WIDE = 1e4, 1e-2
"""a + b beyond which one value of p looks the same, and a or b below which all mass is at 0 or 1."""


def _one_value(p: float) -> BetaMixture:
    return BetaMixture(np.ones(1), np.full(1, np.inf), np.full(1, np.inf), np.full(1, p))


def _scored(mixture: BetaMixture, parameters: int, cells: Cells) -> Fit:
    likelihood = mixture.log_likelihood(cells)
    bic = parameters * np.log(cells.groups) - 2 * likelihood
    return Fit(mixture, likelihood, parameters, float(bic), _remark(mixture))


def _climb(cells: Cells, quantiles: tuple[float, ...], points: tuple[float, ...]) -> BetaMixture:
    """The most likely mixture near a start."""
    from scipy.optimize import minimize

    betas, total = len(quantiles), len(quantiles) + len(points)
    share = np.sort(np.repeat(cells.k / cells.size, np.minimum(cells.count, 1000)))
    means = np.clip(np.quantile(share, quantiles), 0.05, 0.95)
    start = np.concatenate([np.zeros(total - 1), np.log(3 * means), np.log(3 * (1 - means))])
    bounds = [(-12.0, 12.0)] * (total - 1) + [(np.log(_WIDE), np.log(_NARROW))] * (2 * betas)
    scale = cells.groups

    def loss(x: Floats) -> tuple[float, Floats]:
        value, slope = _likelihood(x, cells, betas, points)
        return -value / scale, -slope / scale

    with warnings.catch_warnings():  # of older scipy, whose steps may leave the bounds by a rounding
        warnings.filterwarnings("ignore", "Values in x were outside bounds", RuntimeWarning)
        found = minimize(
            loss, start, jac=True, method="SLSQP", bounds=bounds, options={"ftol": 1e-11, "maxiter": 300}
        )
    return _mixture(found.x, betas, points)


def _mixture(x: Floats, betas: int, points: tuple[float, ...]) -> BetaMixture:
    total = betas + len(points)
    logits = np.concatenate([[0.0], x[: total - 1]])
    weight = np.exp(logits - logits.max())
    pad = np.full(len(points), np.inf)
    a, b = np.exp(x[total - 1 :]).reshape(2, betas)
    point = np.concatenate([np.full(betas, np.nan), points])
    return BetaMixture(weight / weight.sum(), np.concatenate([a, pad]), np.concatenate([b, pad]), point)


def _likelihood(x: Floats, cells: Cells, betas: int, points: tuple[float, ...]) -> tuple[float, Floats]:
    """The log-likelihood, and its slope in the logits of the weights and in log a, log b."""
    from scipy.special import digamma, logsumexp

    mixture = _mixture(x, betas, points)
    terms = mixture.log_terms(cells)
    whole = logsumexp(terms, axis=1, keepdims=True)
    owed = cells.count[:, None] * np.exp(terms - whole)  # groups that each component accounts for
    k, size = cells.k[:, None], cells.size[:, None]
    a, b, mine = mixture.a[:betas], mixture.b[:betas], owed[:, :betas]
    shared = digamma(a + b) - digamma(size + a + b)
    slope_a = a * np.sum(mine * (digamma(k + a) - digamma(a) + shared), axis=0)
    slope_b = b * np.sum(mine * (digamma(size - k + b) - digamma(b) + shared), axis=0)
    slope_weight = (owed.sum(axis=0) - cells.groups * mixture.weight)[1:]
    return float(cells.count @ whole[:, 0]), np.concatenate([slope_weight, slope_a, slope_b])


def _terms(mixture: BetaMixture) -> Iterator[str]:
    parts = zip(mixture.weight, mixture.a, mixture.b, mixture.point, strict=True)
    for weight, a, b, point in parts:
        law = f"Beta({a:.3g}, {b:.3g})" if np.isnan(point) else f"p = {point:.3g}"
        yield law if len(mixture.weight) == 1 else f"{weight:.3g} × [{law}]"


def _remark(mixture: BetaMixture) -> str:
    if len(mixture.weight) == 1 and not np.isnan(mixture.point[0]):
        p = float(mixture.point[0])
        if p in (0, 1):
            return f"Every completion was {'right' if p else 'wrong'}: nothing tells the prompts apart."
        return "No spread between prompts shows: one success probability for all explains the counts."
    if np.any(mixture.a <= 1.01 * _WIDE) or np.any(mixture.b <= 1.01 * _WIDE):
        return "The fit puts nearly all prompts of a component at p = 0 or p = 1."
    return ""
