"""Codec packs in C++: native objects, and the official libraries as packaged by Debian."""
