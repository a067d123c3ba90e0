/* For tests of state that lasts as long as a process: runs each in a process of its own, with the
 * loader pointed at the fake backends. Those are libraries, and the build makes programs only from
 * tests/c: so the C compiler ($CC, else cc) makes them beside the program when it starts. */
#ifndef GA_TESTS_ALONE_H
#define GA_TESTS_ALONE_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../csrc/core/loader.h"
#include "check.h"

static inline bool
build_fake(const char *folder, const char *name)
{
    char command[10000];
    int length = (int)(strrchr(__FILE__, '/') - __FILE__); /* the folder of the tests */
    snprintf(command, sizeof command,
             "${CC:-cc} -std=c11 -shared -fPIC '-DFAKE_NAME=\"%s\"' '%.*s/backends/fake.c' "
             "-o '%s/libga_%s.so'",
             name, length, __FILE__, folder, name);
    return system(command) == 0;
}

/* Makes the fakes in the folder of `program` (main's argv[0]) and sends the loader there. */
static inline void
use_fakes(const char *program)
{
    char folder[4000];
    const char *end = strrchr(program, '/');
    snprintf(folder, sizeof folder, "%.*s", end == NULL ? 1 : (int)(end - program),
             end == NULL ? "." : program);
    CHECK(build_fake(folder, "cpu") && build_fake(folder, "cuda"));
    CHECK(ga_loader_set_folder(folder) == 0);
}

static inline void
run_alone(void (*test)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        check_failed = 0;
        test();
        exit(check_failed != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
