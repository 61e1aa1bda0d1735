// SPDX-License-Identifier: Apache-2.0

// The program's own malloc comes before glibc's, also for the Swift runtime, and hands on to it.

#include "AllocationCounter.h"

#include <errno.h>

#if defined(__linux__) && defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static __thread size_t count;
static __thread size_t byte_count;

static void note(size_t size) {
    count += 1;
    byte_count += size;
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    note(items * size);
    return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
    note(size);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    note(size);
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

bool allocation_counter_is_available(void) { return true; }
size_t allocation_count(void) { return count; }
size_t allocated_byte_count(void) { return byte_count; }

#else

bool allocation_counter_is_available(void) { return false; }
size_t allocation_count(void) { return 0; }
size_t allocated_byte_count(void) { return 0; }

#endif
