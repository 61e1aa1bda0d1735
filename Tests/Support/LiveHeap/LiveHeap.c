// SPDX-License-Identifier: Apache-2.0

#include "LiveHeap.h"

#if defined(__linux__)
#include <malloc.h>
#endif

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)

int64_t live_heap_byte_count(void) {
    struct mallinfo2 all = mallinfo2();
    return (int64_t)(all.uordblks + all.hblkhd);
}

#else

int64_t live_heap_byte_count(void) { return -1; }

#endif
