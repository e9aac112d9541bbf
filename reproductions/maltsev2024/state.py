"""The state of a run of maltsev2024: what is measured and valid, kept in a file to resume from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from wirelab.lab.host_cpu import DISTURBED, taken_note
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.studies.claims import Checked, looked_again
from wirelab_reproductions.maltsev2024.lag import NETWORKS, Key, Lag, Plan
from wirelab_reproductions.maltsev2024.times import Round

FILE = "maltsev2024.json"
TIMES = "times"
BEGIN = "begin a new one, without --resume and --extra-replicates"


class Effort(Struct, frozen=True):
    """How much is measured: `repeats` processes spend `seconds_per` on each format, phase and
    epoch; and the distributed part.
    """

    repeats: int
    seconds_per: float
    distributed: Plan


class State(Struct):
    """What is measured so far, and in how many seconds.

    The keys of lags are `replicate network format`. `elsewhere` has, for each of the `rounds`, the
    share of the CPU time that other programs took. `more` are extra replicates, of `times` and of
    each network. `looks` has, by a claim's text, how often the claim was inconclusive and measured
    further.
    """

    effort: Effort
    seed: int
    rounds: list[Round] = []
    sizes: dict[str, tuple[float, ...]] = {}
    lags: dict[str, Lag] = {}
    took_s: float = 0.0
    elsewhere: list[float] = []
    more: dict[str, int] = {}
    looks: dict[str, int] = {}

    def save(self, folder: Path) -> None:
        """Write it whole, in place of what was there."""
        new = folder / f"{FILE}.new"
        new.write_bytes(msgspec.json.encode(self))
        new.replace(folder / FILE)

    def repeats(self) -> int:
        """How many replicates of the times there are to be."""
        return self.effort.repeats + self.more.get(TIMES, 0)

    def lacks_round(self, number: int) -> bool:
        """Whether a replicate of the times, from 1, has not been measured, or was disturbed."""
        return number > len(self.rounds) or self.elsewhere[number - 1] > DISTURBED

    def keep_round(self, number: int, measured: Round, elsewhere: float) -> None:
        """The least disturbed measurement of a replicate stays."""
        if number > len(self.rounds):
            self.rounds.append(measured)
            self.elsewhere.append(elsewhere)
        elif elsewhere < self.elsewhere[number - 1]:
            self.rounds[number - 1], self.elsewhere[number - 1] = measured, elsewhere

    def evidence(self) -> list[Round]:
        """The rounds that nothing disturbed. Raises MeasurementFailed where there are none."""
        shares = zip(self.rounds, self.elsewhere, strict=True)
        found = [one for one, elsewhere in shares if elsewhere <= DISTURBED]
        if not found:
            least = min(self.elsewhere, default=0.0)
            raise MeasurementFailed(
                "the times of the formats",
                f"even in the best replicate {taken_note(least)}",
                "end what else runs, then go on with --resume",
            )
        return found

    def lacks_lags(self, wanted: Iterable[Key]) -> list[Key]:
        """The runs of actors that have not been made, or were disturbed."""
        lags = {key: self.lags.get(_text(key)) for key in wanted}
        return [key for key, lag in lags.items() if lag is None or lag.elsewhere > DISTURBED]

    def keep_lag(self, key: Key, lag: Lag) -> None:
        """The least disturbed run of a kind stays."""
        before = self.lags.get(_text(key))
        if before is None or lag.elsewhere < before.elsewhere:
            self.lags[_text(key)] = lag

    def lags_by_key(self) -> dict[Key, Lag]:
        """All lags, disturbed or not."""
        return {_key(text): lag for text, lag in self.lags.items()}

    def look_again(self, checked: Sequence[Checked], more: int) -> None:
        """Add `more` replicates of the times or the lags of a network, as inconclusive claims need."""
        for what in {_part(name) for claim in checked for name in claim.open}:
            self.more[what] = self.more.get(what, 0) + more
        self.looks = looked_again(self.looks, checked)

    def notes(self) -> Iterator[str]:
        """What a reader should know: replicates added, and what was disturbed."""
        for what, number in self.more.items():
            yield f"{number} replicates of {what} added for inconclusive claims"
        taken = {
            "replicates of the times": self.elsewhere,
            "runs of the actors": [lag.elsewhere for lag in self.lags.values()],
        }
        for what, shares in taken.items():
            void = [share for share in shares if share > DISTURBED]
            if void:
                yield (
                    f"{len(void)} of {len(shares)} {what} are invalid: in the worst {taken_note(max(void))}; "
                    "--resume measures them again"
                )


def begin(folder: Path, fresh: State, resume: bool) -> State:
    """A new run, or the one in the folder.

    Raises BadInput if that has other settings or is damaged.
    """
    if not resume:
        return fresh
    try:
        state = msgspec.json.decode((folder / FILE).read_bytes(), type=State)
    except (OSError, msgspec.DecodeError) as error:
        raise BadInput(f"run {folder}", f"cannot be resumed: {error}", BEGIN) from None
    if (state.effort, state.seed) != (fresh.effort, fresh.seed):
        raise BadInput(f"run {folder}", "was measured with other settings", BEGIN)
    # Runs from before shares were kept have none.
    state.elsewhere += [0.0] * (len(state.rounds) - len(state.elsewhere))
    return state


def _part(name: str) -> str:
    """Which part of the measuring a figure comes from."""
    return next((network for network in NETWORKS if network in name.split(".")), TIMES)


def _text(key: Key) -> str:
    return " ".join(map(str, key))


def _key(text: str) -> Key:
    number, network, name = text.split()
    return int(number), network, name
