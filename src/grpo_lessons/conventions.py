"""How real trainers turn a group's rewards into advantages: one `Convention` each, by name in `CONVENTIONS`.

>>> import numpy as np
>>> CONVENTIONS["trl"].advantages([1, 0, 0, 0], dtype=np.float32).round(4)
array([ 1.4997, -0.4999, -0.4999, -0.4999], dtype=float32)

On ordinary rewards the presets agree with the trainers' own code to a relative 1e-5, in float32 and float64.
Where rounding is all there is (equal rewards, large offsets, tiny differences) they fail in float32 as the
trainers do, by these rules:

- The presets add float32 one after the other, torch in vector lanes. On recorded groups of up to eight that
  made no difference; the mean of sixteen 0.7's is off by two units in the last place, torch's by one, so that
  every preset with torch's sums gives up to twice the recorded advantage there.
- `verl_rloo` computes n/(n − 1) (r − mean); verl multiplies both terms first, which shows where rewards are
  equal, differ by a millionth, or carry an offset of 10⁴ or more.
- `nemo_rl` and `nemo_rl_no_loo` take sums of squares by a matrix product, whose order is the machine's: where
  E[x²] − E[x]² cancels (equal rewards, one against equal others, offsets), other completions are hit, and by
  other amounts.
- `slime` gives NaN in a group of one, as its function does where it divides. A run of the trainer with one
  completion a prompt switches the division off when it starts, and gets 0.
- `trl_async` has no recorded output: it is read from the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import rounding
from . import validation as check

AnyFloats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Convention:
    """One trainer's advantage, (r − baseline)/(std + eps), with what it does at the edges.

    Attributes
    ----------
    trainer, version, file, function : where it was read
    setting : the trainer's own switch that selects it
    baseline : "mean" of all G or "leave_one_out", of the other G − 1
    scale : the deviation that divides: of the "group", of the whole "batch", of the "others", or "none"
    ddof : 0 or 1
    eps : added to the deviation
    single : what a group of one gets: "refused", the "raw" reward (over 1 + eps where there is a deviation to
        divide by), "nan" or "zero"
    silent : what happens to a group of equal rewards: "kept" (advantage 0 up to rounding), "undivided" (kept,
        and no deviation that comes out 0 divides) or "dropped" by default, once its advantage is known
    dtype : the trainer's own precision
    rescaled : whether leave-one-out is written n/(n − 1) (r − mean): the same but for rounding
    deviation : "two_pass" about the rounded mean, "exact" (torch's Welford sums in float64), or "moments",
        E[x²] − E[x]²
    sums : how float32 is added up, "sequential" for torch or "pairwise" for numpy; float64 is always pairwise
    """

    trainer: str
    version: str
    file: str
    function: str
    setting: str
    baseline: Literal["mean", "leave_one_out"] = "mean"
    scale: Literal["group", "batch", "others", "none"] = "group"
    ddof: Literal[0, 1] = 1
    eps: float = 0.0
    single: Literal["refused", "raw", "nan", "zero"] = "zero"
    silent: Literal["kept", "undivided", "dropped"] = "kept"
    dtype: Literal["float32", "float64"] = "float32"
    rescaled: bool = False
    deviation: Literal["two_pass", "exact", "moments"] = "two_pass"
    sums: Literal["sequential", "pairwise"] = "sequential"

    def advantages(self, rewards: ArrayLike, dtype: DTypeLike | None = None) -> AnyFloats:
        """The advantages this trainer computes, rounding included.

        Parameters
        ----------
        rewards : (..., G) array of finite numbers, one group a row; under scale="batch" the whole array is
            the batch
        dtype : float32 or float64, what the trainer computes in; its own if not given

        Returns
        -------
        (..., G) array of that dtype

        Raises
        ------
        ValueError
            For NaN, infinite or no rewards, another dtype, and for G = 1 where the trainer refuses it.

        Notes
        -----
        Equation ``eq-convention``. See the module's text for where float32 rounding differs from what was
        recorded.
        """
        kind = _precision(self.dtype if dtype is None else dtype)
        given = check.finite(rewards, "rewards")
        if given.ndim == 0:
            raise ValueError(f"rewards must have shape (..., G), got the number {given:g}")
        with np.errstate(over="ignore"):
            values = given.astype(kind, order="C")
        check.finite(values, f"rewards in {kind.name}")
        if values.shape[-1] == 1:
            return self._of_one(values)
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is the trainer's business too
            centred, deviation = self._parts(values)
        if deviation is None:
            return centred
        divisor = deviation + values.dtype.type(self.eps)
        return centred / (np.where(deviation > 0, divisor, 1) if self.silent == "undivided" else divisor)

    def _parts(self, values: AnyFloats) -> tuple[AnyFloats, AnyFloats | None]:
        """r − baseline and the deviation that divides it, if one does."""
        size = values.shape[-1]
        if self.deviation == "moments":
            everyone = np.ones((size, size), values.dtype)
            weights = everyone - np.eye(size, dtype=values.dtype) if self.scale == "others" else everyone
            mean, deviation = rounding.moments(values, self.ddof, weights)
            return values - mean, deviation
        order = self.sums if values.dtype == np.float32 else "pairwise"
        total = rounding.total(values, order)
        if self.baseline == "leave_one_out" and not self.rescaled:
            centred = values - (total - values) / (size - 1)
        else:
            factor = size / (size - 1) if self.rescaled else 1.0
            centred = values.dtype.type(factor) * (values - total / size)
        if self.scale == "none":
            return centred, None
        if self.deviation == "exact":
            return centred, rounding.exact(values, self.ddof)
        population = values.ravel() if self.scale == "batch" else values
        return centred, rounding.two_pass(population, self.ddof, order)

    def _of_one(self, values: AnyFloats) -> AnyFloats:
        if self.single == "refused":
            raise ValueError(f"rewards must have at least 2 completions a group for {self.trainer}, got 1")
        if self.single == "raw":
            return values if self.scale == "none" else values / values.dtype.type(1 + self.eps)
        return np.full_like(values, np.nan if self.single == "nan" else 0)


def _precision(dtype: DTypeLike) -> np.dtype[np.floating[Any]]:
    for allowed in (np.float32, np.float64):
        if dtype in (allowed, np.dtype(allowed), allowed.__name__):
            return np.dtype(allowed)
    raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")


_TRL = Convention(
    "TRL",
    "1.16.0",
    "trl/trainer/grpo_trainer.py",
    "GRPOTrainer._generate_and_score_completions",
    'scale_rewards="group"',
    eps=1e-4,
    single="refused",
)
_VERL = Convention(
    "verl",
    "0.9.1",
    "verl/trainer/ppo/core_algos.py",
    "compute_grpo_outcome_advantage",
    "adv_estimator=grpo",
    eps=1e-6,
    single="raw",
)
_OPENRLHF = Convention(
    "OpenRLHF",
    "0.11.2",
    "openrlhf/trainer/ppo_utils/experience_maker.py",
    "RemoteExperienceMaker.compute_advantages_and_returns",
    "advantage_estimator=group_norm",
    eps=1e-9,
    single="nan",
)
_RLHF_BOOK = Convention(
    "RLHF Book",
    "a66b0bf1103b590511e0503a2e9d93faea939a49",
    "code/policy_gradients/utils.py",
    "compute_standardized_advantages",
    "loss=grpo",
    eps=1e-8,
    single="nan",
)
_NEMO_RL = Convention(
    "NeMo-RL",
    "7ea279abfbeb698b092856d0dab61e7cf39bc909",
    "nemo_rl/algorithms/utils.py",
    "calculate_baseline_and_std_per_prompt",
    "use_leave_one_out_baseline=True",
    baseline="leave_one_out",
    scale="others",
    eps=1e-6,
    silent="undivided",
    deviation="moments",
)
_OPEN_INSTRUCT = Convention(
    "open-instruct",
    "e6c3044aa6201c8bfa4573c1b03142af599e730d",
    "open_instruct/data_loader.py",
    "DataPreparationActor",
    "advantage_normalization_type=standard",
    ddof=0,
    eps=1e-8,
    silent="dropped",
    dtype="float64",
    sums="pairwise",
)

CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {
        "trl": _TRL,
        "trl_none": replace(_TRL, setting='scale_rewards="none"', scale="none", eps=0.0),
        "trl_batch": replace(_TRL, setting='scale_rewards="batch"', scale="batch"),
        "trl_rloo": replace(
            _TRL,
            file="trl/trainer/rloo_trainer.py",
            function="RLOOTrainer._generate_and_score_completions",
            setting="RLOOTrainer, beta=0",
            baseline="leave_one_out",
            scale="none",
            eps=0.0,
        ),
        "trl_async": replace(
            _TRL,
            file="trl/experimental/async_grpo/async_rollout_worker.py",
            function="AsyncRolloutWorker._score_group",
            setting="experimental",
            ddof=0,
            eps=1e-8,
            single="zero",
            dtype="float64",
            sums="pairwise",
        ),
        "verl": _VERL,
        "verl_no_std": replace(_VERL, setting="norm_adv_by_std_in_grpo=False", scale="none", eps=0.0),
        "verl_rloo": replace(
            _VERL,
            function="compute_rloo_outcome_advantage",
            setting="adv_estimator=rloo",
            baseline="leave_one_out",
            scale="none",
            eps=0.0,
            rescaled=True,
        ),
        "openrlhf": _OPENRLHF,
        "openrlhf_rloo": replace(
            _OPENRLHF, setting="advantage_estimator=rloo", baseline="leave_one_out", scale="none", eps=0.0
        ),
        "openrlhf_dr_grpo": replace(
            _OPENRLHF, setting="advantage_estimator=dr_grpo", scale="none", eps=0.0, single="zero"
        ),
        "rlhf_book": _RLHF_BOOK,
        "rlhf_book_dr_grpo": replace(
            _RLHF_BOOK,
            function="compute_nonstandardized_advantages",
            setting="loss=drgrpo",
            scale="none",
            eps=0.0,
            single="zero",
        ),
        "rlhf_book_rloo": replace(
            _RLHF_BOOK,
            function="compute_loo_advantages",
            setting="loss=rloo",
            baseline="leave_one_out",
            scale="none",
            eps=0.0,
            single="refused",
            rescaled=True,
        ),
        "nemo_rl": _NEMO_RL,
        "nemo_rl_no_loo": replace(
            _NEMO_RL, setting="use_leave_one_out_baseline=False", baseline="mean", scale="group"
        ),
        "slime": Convention(
            "slime",
            "624b824a898ab0ec1fcb4d373004c7f3852bf515",
            "slime/ray/rollout.py",
            "RolloutManager._post_process_rewards",
            "grpo_std_normalization=True",
            eps=1e-6,
            single="nan",
            deviation="exact",
        ),
        "prime_rl": Convention(
            "prime-rl",
            "559b44772e471d1538537b8805cc77f3824a5e64",
            "src/prime_rl/orchestrator/algo/grpo.py",
            "GRPOAlgorithm.score_group",
            "length_penalty=None",
            scale="none",
            silent="dropped",
        ),
        "open_instruct": replace(
            _OPEN_INSTRUCT, setting="advantage_normalization_type=centered", scale="none", eps=0.0
        ),
        "open_instruct_standard": _OPEN_INSTRUCT,
    }
)
"""The presets by name; `setting` is the switch that selects each."""
