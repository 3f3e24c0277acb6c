"""A language small enough to be listed: a softmax policy over sequences of a few tokens, with its exact ∇p.

Token 0 ends a sequence; one that never says it is cut at the longest length. The logits are (T, V): a softmax
over the V tokens at each of T places, whatever was said before.

>>> sequences = all_sequences(vocabulary=2, longest=2)
>>> sequences.tokens.tolist(), sequences.lengths.tolist()
([[0, 0], [1, 0], [1, 1]], [1, 2, 2])
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from . import validation as check

Floats = NDArray[np.float64]


class Sequences(NamedTuple):
    """Every sequence of a language, padded with 0."""

    tokens: NDArray[np.intp]
    """(n, T)"""
    said: NDArray[np.bool_]
    """(n, T), false behind the end"""
    vocabulary: int

    @property
    def lengths(self) -> NDArray[np.intp]:
        """(n,) numbers of tokens, the end token included."""
        return np.asarray(self.said.sum(axis=1))


def all_sequences(vocabulary: int, longest: int) -> Sequences:
    """All sequences of at most `longest` tokens out of `vocabulary`, token 0 being the end.

    Raises
    ------
    ValueError
        For a vocabulary below 2 or a length below 1, and for more than 4,096 strings to go through.
    """
    size = int(check.single(check.group_size(vocabulary, "vocabulary"), "vocabulary"))
    places = int(check.single(check.group_size(longest, "longest", least=1), "longest"))
    if size**places > 4096:
        raise ValueError(f"longest must leave at most 4096 strings, got {size}^{places}")
    strings = np.array(list(product(range(size), repeat=places)), dtype=np.intp)
    said = np.cumsum(strings == 0, axis=1) - (strings == 0) == 0  # up to the first 0, itself included
    tokens, first = np.unique(strings * said, axis=0, return_index=True)
    return Sequences(tokens, said[first], size)


def odd_language() -> tuple[Floats, Sequences, Floats]:
    """The course's small language: three tokens, at most four places, right is an odd number of token 1.

    Returns
    -------
    logits : (4, 3) array, a start at p ≈ .3 with short completions
    sequences : its 31 sequences, of 1 to 4 tokens, right and wrong ones of several lengths
    rewards : (31,) array of zeros and ones
    """
    sequences = all_sequences(vocabulary=3, longest=4)
    logits = np.tile([0.3, 0.0, 0.0], (4, 1))
    return logits, sequences, np.asarray(np.sum(sequences.tokens == 1, axis=1) % 2, dtype=np.float64)


def token_log_probs(logits: ArrayLike, sequences: Sequences) -> Floats:
    """log π of each token of each sequence, 0 where nothing is said.

    Parameters
    ----------
    logits : (T, V) array
    sequences : n sequences of at most T tokens out of V

    Returns
    -------
    (n, T) array

    Raises
    ------
    ValueError
        For logits of another shape or not finite.
    """
    everywhere = log_softmax(_checked(logits, sequences), axis=1)
    return np.where(sequences.said, everywhere[np.arange(len(everywhere)), sequences.tokens], 0.0)


def token_scores(logits: ArrayLike, sequences: Sequences) -> Floats:
    """∇log π of each token of each sequence, in the logits.

    Parameters
    ----------
    logits, sequences : as `token_log_probs`

    Returns
    -------
    (n, T, T·V) array: a token's score touches the V logits of its own place only

    Notes
    -----
    Equation ``eq-softmax-score`` at each place.
    """
    policy = np.exp(log_softmax(_checked(logits, sequences), axis=1))
    places, size = policy.shape
    scores = np.zeros((len(sequences.tokens), places, places, size))
    own = np.arange(places)
    scores[:, own, own] = np.eye(size)[sequences.tokens] - policy
    return scores.reshape(-1, places, places * size) * sequences.said[..., None]


def sequence_probabilities(logits: ArrayLike, sequences: Sequences) -> Floats:
    """π of each whole sequence, (n,), summing to 1."""
    return np.asarray(np.exp(token_log_probs(logits, sequences).sum(axis=1)))


def success_and_gradient(
    logits: ArrayLike, sequences: Sequences, rewards: ArrayLike
) -> tuple[np.float64, Floats]:
    """The exact expected reward Σ π r, which is p for 0/1 rewards, and its gradient Σ π r ∇log π.

    Parameters
    ----------
    logits, sequences : as `token_log_probs`
    rewards : (n,) array

    Returns
    -------
    p : float64
    gradient : (T·V,) array
    """
    weighted = sequence_probabilities(logits, sequences) * check.finite(rewards, "rewards")
    return np.float64(weighted.sum()), weighted @ token_scores(logits, sequences).sum(axis=1)


def _checked(logits: ArrayLike, sequences: Sequences) -> Floats:
    values, shape = check.finite(logits, "logits"), (sequences.tokens.shape[1], sequences.vocabulary)
    if values.shape != shape:
        raise ValueError(f"logits must have shape {shape}, places by tokens, got {values.shape}")
    return values
