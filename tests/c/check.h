/* Counts what a C test checks. A test is one program: CHECKs, then `return check_report();`,
 * which is not 0 after a failure. Includes the C library only. */
#ifndef GA_TESTS_CHECK_H
#define GA_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_passed, check_failed;

#define CHECK(condition) check_one((condition), #condition, __FILE__, __LINE__)

static inline void
check_one(int holds, const char *text, const char *file, int line)
{
    if (holds) {
        check_passed++;
    } else {
        check_failed++;
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    }
}

static inline int
check_report(void)
{
    printf("%d passed, %d failed\n", check_passed, check_failed);
    return check_failed != 0;
}

#endif
