"""Facts of CoAP that planning, checking and explaining share."""

PROTOCOL = "coap"
# Larger messages are cut into blocks of this size, each in an exchange of its own (RFC 7959).
BLOCK_BYTES = 1024
