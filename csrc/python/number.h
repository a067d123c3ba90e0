/* What the operator files share: number.c (arithmetic) and number_compare.c. */
#ifndef GAPY_NUMBER_H
#define GAPY_NUMBER_H

#include "array.h"

/* State of a call whose operands are ours on at least one side. */
GaState *ga_number_state(PyObject *x, PyObject *y);
/* Whether the other operand's method should have its turn. */
bool ga_number_gives_way(const GaState *state, PyObject *x, PyObject *y, bool in_place);
/* tp_richcompare. */
PyObject *ga_number_compare(PyObject *x, PyObject *y, int operation);

#endif
