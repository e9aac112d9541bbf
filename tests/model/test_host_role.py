from wirelab.model.host_role import HostRole, numbered, role_of


def test_the_first_of_a_role_has_no_number_in_its_name() -> None:
    assert numbered("publisher", 3) == ["publisher", "publisher-2", "publisher-3"]


def test_a_name_is_read_as_it_was_written() -> None:
    assert HostRole.parse("publisher-12") == HostRole("publisher", 12)
    assert HostRole.parse("publisher") == HostRole("publisher", 1)


def test_a_host_of_the_cross_traffic_has_a_role_of_its_own() -> None:
    assert role_of("cross-publisher") == "cross-publisher"
