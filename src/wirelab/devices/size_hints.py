"""The largest parts of a message object, for a payload that does not fit a device."""

from __future__ import annotations

from wirelab.devices.c_layout import Member, Shape, whole
from wirelab.model.schema import Base64, Float, Int, Ref, String, Timestamp


def to_blame(shape: Shape, named: bool, most: int = 3) -> list[str]:
    """The largest parts with their bytes: fields of the message object and, if `named`, all keys."""
    sizes: dict[str, int] = {}
    fields: dict[str, list[tuple[int, str]]] = {}
    for table in shape.tables.values():
        own = []
        for member in table.members:
            inner = fields.get(member.kind.name, []) if isinstance(member.kind, Ref) else []
            one = sizes[member.kind.name] if isinstance(member.kind, Ref) else _room(member)
            many = max(member.count, 1) if member.is_list else 1
            own.append((one * many, _described(member)))
            own += [(size * many, f"{member.key}.{text}") for size, text in inner]
        direct = [size for size, text in own if "." not in text.split(" (")[0]]
        sizes[table.name] = 2 + max(direct) if table.role == "union" else sum(direct) or 1
        fields[table.name] = own
    records = [table for table in shape.tables.values() if table.role not in ("union", "tuple")]
    keys = sum(len(m.key.encode()) + 1 for table in records for m in table.members)
    ranked = sorted(
        [*fields[shape.root], *([(keys, "the names of all keys")] if named else [])], reverse=True
    )[:most]
    return [f"{text}: {size} B" for size, text in ranked]


def _room(member: Member) -> int:
    kind = member.kind
    if isinstance(kind, String | Base64):
        return member.size + 2
    if isinstance(kind, Float):
        return kind.bits // 8
    if isinstance(kind, Int | Timestamp):
        return 8 if whole(kind) in ("u64", "i64") else 4
    return 1


def _described(member: Member) -> str:
    parts = [f"up to {member.count} items"] if member.is_list else []
    if isinstance(member.kind, String | Base64):
        parts.append(f"text of up to {member.size} B")
    return f"{member.key} ({', '.join(parts)})" if parts else member.key
