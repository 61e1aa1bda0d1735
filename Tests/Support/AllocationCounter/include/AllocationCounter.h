// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Whether allocations are counted: on Linux with glibc, and not where a sanitizer has the allocator.
bool allocation_counter_is_available(void);

/// How many times this thread has asked for memory.
size_t allocation_count(void);

/// How many bytes this thread has asked for, whether or not they were given back.
size_t allocated_byte_count(void);
