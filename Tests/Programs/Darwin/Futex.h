// SPDX-License-Identifier: Apache-2.0

// In place of `_SynchronizationShims.h`: what the bodies of Linux's `Mutex` call. None of it runs.

#include <stdint.h>

static inline uint32_t _swift_stdlib_gettid(void) { return 0; }
static inline uint32_t _swift_stdlib_futex_lock(uint32_t *lock) { return *lock; }
static inline uint32_t _swift_stdlib_futex_trylock(uint32_t *lock) { return *lock; }
static inline uint32_t _swift_stdlib_futex_unlock(uint32_t *lock) { return *lock; }
