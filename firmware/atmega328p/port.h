/* The simulator watches the stack pointer after every instruction: nothing is painted. */
#pragma once
#define WL_PAINTED 0
