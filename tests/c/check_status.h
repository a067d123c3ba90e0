/* Checks of what ga_fail recorded. */
#ifndef GA_TESTS_CHECK_STATUS_H
#define GA_TESTS_CHECK_STATUS_H

#include "../../csrc/core/status.h"
#include "check.h"

/* `rc` is -1, and status and the start of the message are these. */
#define CHECK_FAILS(rc, status, message) \
    check_failure((rc), (status), (message), __FILE__, __LINE__)

static inline void
check_failure(int rc, enum ga_status status, const char *message, const char *file, int line)
{
    const char *recorded = NULL;
    int holds = rc == -1 && ga_status_get(&recorded) == status;
    holds = holds && strncmp(recorded, message, strlen(message)) == 0;
    check_one(holds, message, file, line);
    if (!holds) {
        fprintf(stderr, "    recorded: %s\n", recorded == NULL ? "(no failure)" : recorded);
    }
    ga_status_clear();
}

#endif
