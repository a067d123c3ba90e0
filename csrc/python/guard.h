/* transfer_guard: counts, and on demand reports or refuses, copies of arrays between a GPU and the host that nobody
 * asked for in words. Asked for are those that get, set, to_device, asnumpy, asarray and its like make when the user
 * calls them; the same functions called inside gpuarray on a user's operands are not. */
#ifndef GAPY_GUARD_H
#define GAPY_GUARD_H

#include "array.h"

enum ga_guard_mode { GA_GUARD_ALLOW, GA_GUARD_WARN, GA_GUARD_ERROR };
enum ga_guard_way { GA_GUARD_TO_HOST, GA_GUARD_TO_DEVICE };

/* To be called before an array is copied to the host, and before host data are copied to a device. Nothing happens
 * for the CPU device, unless the guard was told to treat it as a GPU. -1 with an exception where the copy is not
 * allowed. */
int ga_guard_read(GaState *state, const GaArray *a);
int ga_guard_send(GaState *state, PyArrayObject *source, const ga_device *device);

#endif
