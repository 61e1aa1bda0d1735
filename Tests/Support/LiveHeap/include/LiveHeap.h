// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

/// How many bytes this process has taken from malloc and not given back, in all arenas; below 0 where the system does not
/// say (it does with glibc 2.33 and later). What a thread keeps at hand for itself counts as taken.
int64_t live_heap_byte_count(void);
