"""Errors of three parts: the thing, the cause, the next step. Each has an exit code."""

from __future__ import annotations


class WirelabError(Exception):
    """An error that a user can act on.

    `what` names the thing, `why` the cause, `next_step` what to do about it.
    """

    exit_code = 2

    def __init__(self, what: str, why: str = "", next_step: str = "") -> None:
        self.what, self.why, self.next_step = what, why, next_step
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """The error as one line: `what: why; next step`."""
        text = f"{self.what}: {self.why}" if self.why else self.what
        return f"{text}; {self.next_step}" if self.next_step else text


class BadInput(WirelabError):
    """A payload, schema, trace, study file, flag or environment that cannot be used.

    Exit code 3.
    """

    exit_code = 3


class MeasurementFailed(WirelabError):
    """A measurement is invalid or the system under test failed. Exit code 2."""

    exit_code = 2
