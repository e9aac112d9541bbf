"""What is said of the trials of a study before they run: what was chosen, rounded or left out."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.study import Study
from wirelab.model.trial import Trial
from wirelab.studies.codec_languages import stated_languages
from wirelab.studies.default_rate import stated_rates
from wirelab.studies.message_batches import stated_batches


def stated(study: Study, planned: Sequence[Trial]) -> list[str]:
    """A sentence for each."""
    return [
        *stated_rates(study, planned),
        *stated_batches(study, planned),
        *stated_languages(study, planned),
    ]
