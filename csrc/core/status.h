/* Errors on one path: who knows the fact calls ga_fail() and returns -1; everybody above returns
 * -1 too. Owns the status and message of the calling thread. */
#ifndef GA_STATUS_H
#define GA_STATUS_H

#include "backend.h"

#if defined(__GNUC__)
#define GA_PRINTF(index, first) __attribute__((format(printf, index, first)))
#else
#define GA_PRINTF(index, first)
#endif

/* Records status and message for this thread; always returns -1. */
int ga_fail(enum ga_status status, const char *format, ...) GA_PRINTF(2, 3);
/* Takes over what a backend's slot recorded; always returns -1. */
int ga_fail_backend(const ga_backend *backend);
/* What was recorded last; message is never NULL and lives until the thread's next ga_fail. */
enum ga_status ga_status_get(const char **message);
void ga_status_clear(void);

#endif
