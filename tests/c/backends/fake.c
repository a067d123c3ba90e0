/* The fake backend as a library, for the tests of loader and device: built as libga_cpu.so and,
 * with FAKE_NAME "cuda", as libga_cuda.so. GA_FAKE_REFUSES in the environment makes it refuse. */
#include "../fake_backend.h"

const ga_backend *ga_backend_open(uint32_t abi);
const char *ga_backend_why(void);

const ga_backend *
ga_backend_open(uint32_t abi)
{
    return abi == GA_ABI && getenv("GA_FAKE_REFUSES") == NULL ? &fake_backend : NULL;
}

const char *
ga_backend_why(void)
{
    return "the fake refuses";
}
