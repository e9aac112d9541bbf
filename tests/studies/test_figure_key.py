from wirelab.studies.figure_key import FigureKey


def key(name: str) -> FigureKey:
    return FigureKey.parse(name)


def test_a_figure_is_a_metric_of_a_combination() -> None:
    figure = key("large.mqtt-1.5.mean")
    assert (str(figure.front), figure.metric) == ("large.mqtt-1.5", "mean")
    assert str(figure) == "large.mqtt-1.5.mean"


def test_a_star_matches_one_word() -> None:
    assert key("large.*.5.mean").star(key("large.mqtt-1.5.mean")) == "mqtt-1"
    assert key("large.*.mean").star(key("large.mqtt-1.5.mean")) is None
    assert key("large.*.5.mean").star(key("large.mqtt-1.10.mean")) is None


def test_all_stars_match_the_same_word() -> None:
    assert key("large.*.*").star(key("large.5.5")) == "5"
    assert key("large.*.*").star(key("large.5.10")) is None


def test_a_key_without_a_star_matches_itself() -> None:
    assert key("large.mean").star(key("large.mean")) == ""
    assert key("large.mean").star(key("small.mean")) is None


def test_a_figure_is_of_the_protocol_of_its_delivery() -> None:
    assert key("large.mqtt-1.5.mean").is_of("mqtt")
    assert not key("large.mqtt-sn-1.5.mean").is_of("sn")
