// SPDX-License-Identifier: Apache-2.0
#include "CLimit.h"

#include <string.h>

// On x86-64 a vector is a register of AVX2; elsewhere the compiler makes of it what there is.
#ifdef __x86_64__
#define WIDE __attribute__((noinline, target("avx2")))
#else
#define WIDE __attribute__((noinline))
#endif

typedef uint64_t vector __attribute__((vector_size(32), aligned(1), may_alias));

static inline uint64_t doubled(uint32_t key) { return (uint64_t)key << 32 | key; }

static inline __attribute__((always_inline)) void mask_words(
    const uint8_t *source, uint8_t *destination, size_t byte_count, uint32_t key) {
    const uint64_t mask = doubled(key);
    uint8_t bytes[sizeof key];
    memcpy(bytes, &key, sizeof key);
    size_t offset = 0;
    // Left alone, the compiler would make vectors of it.
#pragma clang loop vectorize(disable) unroll(disable)
    for (; byte_count - offset >= sizeof mask; offset += sizeof mask) {
        uint64_t word;
        memcpy(&word, source + offset, sizeof word);
        word ^= mask;
        memcpy(destination + offset, &word, sizeof word);
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (; offset < byte_count; offset++) destination[offset] = source[offset] ^ bytes[offset % sizeof key];
}

__attribute__((noinline)) void limit_mask_words(
    const uint8_t *source, uint8_t *destination, size_t byte_count, uint32_t key) {
    mask_words(source, destination, byte_count, key);
}

WIDE void limit_mask(const uint8_t *source, uint8_t *destination, size_t byte_count, uint32_t key) {
    const uint64_t word = doubled(key);
    const vector mask = {word, word, word, word};
    enum { step = 4 * sizeof mask };
    size_t offset = 0;
    for (; byte_count - offset >= step; offset += step) {
        const vector *from = (const vector *)(source + offset);
        vector *to = (vector *)(destination + offset);
        // All are loaded before any is stored: both may be one place.
        const vector first = from[0] ^ mask, second = from[1] ^ mask, third = from[2] ^ mask, fourth = from[3] ^ mask;
        to[0] = first;
        to[1] = second;
        to[2] = third;
        to[3] = fourth;
    }
    mask_words(source + offset, destination + offset, byte_count - offset, key);
}
