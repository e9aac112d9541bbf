//! Constants of the pcapng format (draft-ietf-opsawg-pcapng), used by the reader here and by the
//! emulator's writer.

/// Type of a section header block. Reads the same in both byte orders.
pub const SECTION_BLOCK: u32 = 0x0A0D_0D0A;
/// Byte-order magic of a section.
pub const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
/// Type of an interface description block.
pub const INTERFACE_BLOCK: u32 = 1;
/// Type of an enhanced packet block.
pub const PACKET_BLOCK: u32 = 6;
/// Type of the packet block that the enhanced one replaced.
pub const OBSOLETE_PACKET_BLOCK: u32 = 2;
/// Type of a packet block without a time.
pub const SIMPLE_PACKET_BLOCK: u32 = 3;
/// Option of any block: a comment.
pub const COMMENT_OPTION: u16 = 1;
/// Option of an interface: its name.
pub const NAME_OPTION: u16 = 2;
/// Option of an interface: the resolution of its time stamps.
pub const RESOLUTION_OPTION: u16 = 9;
/// Option of an interface: seconds to add to its time stamps.
pub const OFFSET_OPTION: u16 = 14;
