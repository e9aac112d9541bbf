"""Names that are valid in every format and language, from arbitrary JSON keys."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

FIELD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
RECORD = re.compile(r"[A-Z][A-Za-z0-9]*")
_WORDS = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
# A capital inside a run of capitals is lowered here, because generators that re-case names lower
# it.
_INNER_CAPITAL = re.compile(r"(?<=[A-Z0-9])[A-Z](?![a-z])")
_LONGEST = 60
MAX_NAMES = 4096
"""Fields of a record, and records of a schema. More are data, and too slow to distinguish."""

# Keywords of Rust, C, C++, Java, Python, protobuf, FlatBuffers, Cap'n Proto, Thrift, Avro and XDR
# in lower case, macros that C headers define, and names of methods that generated code has on every
# message.
RESERVED = frozenset(
    """
    abstract alignas alignof and and_eq args as asm assert async atomic_cancel auto await base become binary
    bitand bitor bool boolean box break byte case catch char class cluster co_await co_return co_yield compl
    concept const const_cast constexpr continue crate data decltype def default del delete do double dyn
    dynamic dynamic_cast elif else end enum ensures errno except exception explicit export extends extensions
    extern false final finally float fn for foreach friend from function global goto group hyper i128 i16 i32
    i64 i8 if impl implements import in include inline inout instanceof int int16 int32 int64 int8 interface
    into is lambda let linux list long loop macro main map match message mod module move mut mutable namespace
    native new next nil none nonlocal not not_eq null nullptr object oneof opaque operator optional or or_eq out
    override package pass private program protected protocol pub public quadruple raise record ref register
    reinterpret_cast repeated required requires reserved restrict return returns root_type rpc rpc_service
    sealed self service set short signed sizeof static static_assert static_cast stderr stdin stdout stream
    strict string struct super switch synchronized syntax table template text then this thread_local throw
    throws to trait transient true try type typedef typeid typename typeof u128 u16 u32 u64 u8 ubyte uint
    uint16 uint32 uint64 uint8 ulong unaligned union unix unsafe unsigned unsized use ushort using va_arg
    version virtual void volatile wchar_t where while with xor xor_eq xception yield
    add alignment as_any borrow borrow_mut build builder byte_size clear clone clone_from cmp copy create
    decode descriptor drop encode encode_raw encode_to_vec encoded_len enum_max enum_min enum_values eq
    equals finish follow from_little_endian get_class get_type hash hash_code init init_from_table merge
    merge_field notify notify_all pack push read reader size swap to_little_endian to_owned to_string
    try_from try_into type_id unpack verify wait write writer
    """.split()  # noqa: SIM905
)

# Types of the languages and of generated code, in lower case.
RESERVED_RECORDS = frozenset(
    """
    any array arc block bool boolean box builder byte bytes cell character class cow data date default double
    enum err error exception fixed float fn follow hash hashmap int int16 int32 int64 int8 integer interface
    iterator list long map message method none number object ok option optional output package rc record
    result self send short some str string struct sync system table text thread tobject type uint16 uint32
    uint64 uint8 union utf8 octets vec vector verifiable verifier void
    """.split()  # noqa: SIM905
)
# Endings that generated code adds to a record's name for its helpers.
_HELPERS = ("Args", "Builder", "Offset", "T")


def field_name(key: str, taken: Collection[str]) -> str:
    """A field name for a JSON key: snake_case, no reserved word, unlike all `taken` (in their
    `folded` form).
    """
    name = key if FIELD.fullmatch(key) else "_".join(_words(key)).lower()
    name = name[:_LONGEST].rstrip("_") or "field"
    if name[0].isdigit():
        name = f"n_{name}"
    while name in RESERVED or name.replace("_", "") in RESERVED:
        name = f"{name}_field"
    return _numbered(name, taken, "_")


def record_name(text: str, taken: Collection[str]) -> str:
    """A record name for a JSON key: UpperCamelCase, no type of any language, unlike all `taken`
    (`folded`).
    """
    name = "".join(word[:1].upper() + word[1:] for word in _words(text))[:_LONGEST] or "Item"
    name = _INNER_CAPITAL.sub(lambda match: match[0].lower(), name)
    if name[0].isdigit():
        name = f"N{name}"
    if name.lower() in RESERVED | RESERVED_RECORDS or name.endswith(_HELPERS):
        name = f"{name}Record"
    return _numbered(name, taken, "")


def folded(name: str) -> str:
    """The form in which two names of one scope must differ: no case, no underscores (they vanish in
    camelCase).
    """
    return name.replace("_", "").lower()


def singular(key: str) -> str:
    """The key of a list as the name of one item: `entities` gives `entity`."""
    if key.endswith("ies") and len(key) > 4:
        return f"{key[:-3]}y"
    if key.endswith(("sses", "xes", "ches", "shes")):
        return key[:-2]
    if key.endswith("s") and not key.endswith(("ss", "us", "is")) and len(key) > 2:
        return key[:-1]
    return key


def is_field(name: str) -> bool:
    """Whether `name` is a valid field name in every format."""
    return FIELD.fullmatch(name) is not None and name not in RESERVED and len(name) <= _LONGEST + 12


def is_record(name: str) -> bool:
    """Whether `name` is a valid record name in every format."""
    legal = RECORD.fullmatch(name) is not None and len(name) <= _LONGEST + 12
    return legal and name.lower() not in RESERVED | RESERVED_RECORDS


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _WORDS.findall(plain)


def _numbered(name: str, taken: Collection[str], separator: str) -> str:
    wish, again = name, 2
    while folded(name) in taken:
        name, again = f"{wish}{separator}{again}", again + 1
    return name
