/* Functions of the module that stand on reductions and matrix products; functions.c. */
#ifndef GAPY_FUNCTIONS_H
#define GAPY_FUNCTIONS_H

#include "gapy.h"

extern PyMethodDef ga_function_table[];

#endif
