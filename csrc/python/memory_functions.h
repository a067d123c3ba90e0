/* Functions about memory, and the core's hooks into Python. */
#ifndef GAPY_MEMORY_FUNCTIONS_H
#define GAPY_MEMORY_FUNCTIONS_H

#include "../core/live.h"
#include "gapy.h"

/* Takes the hooks back: the module goes. */
void ga_memory_end(void);

#endif
