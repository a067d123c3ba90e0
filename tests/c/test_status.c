/* status.c: what is recorded, and by whom it is seen. */
#include <pthread.h>

#include "check_status.h"
#include "fake_backend.h"

static void *
look_from_thread(void *seen)
{
    const char *message;
    *(enum ga_status *)seen = ga_status_get(&message);
    return NULL;
}

static void
test_message(void)
{
    const char *message;
    CHECK(ga_status_get(&message) == GA_OK && message[0] == '\0');
    CHECK(ga_fail(GA_ERR_VALUE, "bad %s %d", "thing", 3) == -1);
    CHECK(ga_status_get(&message) == GA_ERR_VALUE && strcmp(message, "bad thing 3") == 0);
    ga_fail(GA_ERR_TYPE, "in f: %s", message);
    CHECK(ga_status_get(&message) == GA_ERR_TYPE && strcmp(message, "in f: bad thing 3") == 0);
}

static void
test_long_message(void)
{
    char text[5000];
    const char *message;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ga_fail(GA_ERR_VALUE, "%s", text);
    ga_status_get(&message);
    CHECK(strlen(message) == 1023);
}

static void
test_thread(void)
{
    pthread_t thread;
    enum ga_status seen = GA_ERR_TYPE;
    ga_fail(GA_ERR_VALUE, "mine");
    CHECK(pthread_create(&thread, NULL, look_from_thread, &seen) == 0);
    pthread_join(thread, NULL);
    CHECK(seen == GA_OK);
    ga_status_clear();
}

static void
test_backend(void)
{
    fake_fail(GA_ERR_MEMORY, "no more");
    CHECK_FAILS(ga_fail_backend(&fake_backend), GA_ERR_MEMORY, "no more");
    fake_fail(GA_OK, "strange");
    CHECK_FAILS(ga_fail_backend(&fake_backend), GA_ERR_DEVICE, "strange");
}

int
main(void)
{
    test_message();
    test_long_message();
    test_thread();
    test_backend();
    return check_report();
}
