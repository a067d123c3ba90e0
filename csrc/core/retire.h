/* Imported memory whose last array is gone while a GPU may still use it. Nobody waits for the GPU:
 * the memory stays on a list until an event says that the work is over, and goes back to its owner
 * at one of the next calls here.
 *
 * Owns the list and its events. Callers hold the one lock of the core. Deleters may call back into
 * the core. */
#ifndef GA_RETIRE_H
#define GA_RETIRE_H

#include "device.h"

/* Has deleter(owner) called once the work that `stream` was given so far is over, which may be now. -1 if the device
 * cannot tell: then nothing was done. */
int ga_retire_after(ga_device *device, ga_stream *stream, void (*deleter)(void *), void *owner);
/* Calls the deleters whose work is over, oldest first. Costs nothing where none is due. */
void ga_retire_collect(void);

#endif
