/* Codecs here take no memory from a heap. */
#pragma once
#include <stddef.h>
