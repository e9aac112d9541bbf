"""Notes: one per kind with the span of its figures."""

from wirelab.model.note import Note, NoteCode, RowNote, row_notes


def rate(sent: float) -> Note:
    return Note(NoteCode.RATE_MISSED, {"sent": sent, "asked": 10.0})


def test_notes_that_differ_in_figures_are_one_with_their_span() -> None:
    text = (
        "rate missed: 4.00/s to 5.00/s instead of 10.0/s; the sender could not hand messages over in time "
        "(2 of 3 trials)"
    )
    spans = {"sent": (4.0, 5.0), "asked": (10.0, 10.0)}
    assert row_notes([(rate(5.0),), (rate(4.0),), ()]) == (RowNote(NoteCode.RATE_MISSED, text, 2, spans),)


def test_notes_of_other_promises_stay_apart() -> None:
    one = Note(NoteCode.PROMISE_BROKEN, {"messages": 1.0}, "mqtt qos 1", "at-least-once")
    other = Note(NoteCode.PROMISE_BROKEN, {"messages": 2.0}, "mqtt qos 2", "exactly-once")
    assert [note.text for note in row_notes([(one, other)])] == [
        "promise broken: 1 message lost although mqtt qos 1 promises at-least-once",
        "promise broken: 2 messages lost although mqtt qos 2 promises exactly-once",
    ]


def test_a_note_of_unknown_origin_is_its_text() -> None:
    assert str(Note.message("50 % {odd}")) == "50 % {odd}"
