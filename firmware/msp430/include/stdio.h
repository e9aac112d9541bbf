/* There are no files here; some headers name them. */
#pragma once
#include <stddef.h>
typedef struct FILE FILE;
