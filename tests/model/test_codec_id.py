from wirelab.model.codec_id import CodecId


def test_a_codec_id_is_a_format_and_a_library() -> None:
    assert CodecId.parse("protobuf/prost") == CodecId("protobuf", "prost")
    assert str(CodecId("protobuf", "prost")) == "protobuf/prost"


def test_a_format_alone_has_no_library() -> None:
    assert CodecId.parse("json") == CodecId("json")
    assert str(CodecId("json")) == "json"


def test_another_setting_than_usual_makes_a_variant() -> None:
    assert CodecId.parse("json/serde_json[buffer=fresh]").is_variant
    assert not CodecId.parse("json/serde_json").is_variant
