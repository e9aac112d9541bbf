"""Which clients of a study load which of its codecs, by their languages."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.codecs.peer_packs import JAVA, language_of
from wirelab.lab.protocols import protocol, protocols
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.delivery_modes import Delivery, deliveries


def loads(study: Study, delivery: Delivery, codec: str) -> bool:
    """Whether the client of a delivery mode loads the pack of a codec."""
    language = language_of(codec)
    if study.client_program:
        return language != JAVA
    return language in protocol(delivery.protocol).loads[delivery.client_library]


def check_languages(study: Study, codecs: Sequence[str]) -> None:
    """Check that some client loads the codecs of each language, and that nothing is around those of
    a JVM.

    Raises BadInput.
    """
    java = [codec for codec in codecs if language_of(codec) == JAVA]
    if not java:
        return
    what = f"language '{JAVA}'"
    for flag, plain in (("compression", "none"), ("batch", "1")):
        if getattr(study, flag) != (plain,):
            why = "only native codecs have the library around them that writes what is on the wire"
            raise BadInput(f"{what} with {flag}", why, f"leave out --{flag} or --language {JAVA}")
    if study.placement:
        raise BadInput(what, "packs of classes are not sent to other nodes", "leave out --placement")
    offered = deliveries(study)
    if not any(loads(study, one, codec) for one in offered for codec in java):
        clients = ", ".join(dict.fromkeys(f"{one.client_library} ({one.protocol})" for one in offered))
        why = f"its codecs run in a JVM, and none of the clients does: {study.client_program or clients}"
        raise BadInput(what, why, _client_in_java(study))


def _client_in_java(study: Study) -> str:
    """A client in a JVM for the study, as the next step of an error."""
    with_java = {
        name: [library for library, languages in known.loads.items() if JAVA in languages]
        for name, known in protocols().items()
    }
    own = [f"--client-library {name}" for one in study.protocol for name in with_java[one][:1]]
    if own:
        return f"add {' or '.join(dict.fromkeys(own))}"
    return f"choose a protocol with a client in Java: {', '.join(name for name, own in with_java.items() if own)}"
