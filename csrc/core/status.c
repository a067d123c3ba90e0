/* The status and message of the calling thread. Owns them, and nothing else: both are
 * thread-local, so no lock is needed. The message is formatted beside the recorded one first,
 * because it may quote it. Includes the C library only. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 1024 };

static _Thread_local enum ga_status last_status = GA_OK;
static _Thread_local char last_message[MESSAGE_BYTES];

int
ga_fail(enum ga_status status, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    memcpy(last_message, message, sizeof message);
    last_status = status;
    return -1;
}

int
ga_fail_backend(const ga_backend *backend)
{
    enum ga_status status = GA_OK;
    const char *message = backend->last_error(&status);
    return ga_fail(status == GA_OK ? GA_ERR_DEVICE : status, "%s", message);
}

enum ga_status
ga_status_get(const char **message)
{
    *message = last_message;
    return last_status;
}

void
ga_status_clear(void)
{
    last_status = GA_OK;
    last_message[0] = '\0';
}
