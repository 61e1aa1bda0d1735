// SPDX-License-Identifier: Apache-2.0
#ifndef LIMIT_UTF8_H
#define LIMIT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// How many bytes the character at `text` has, with `left` bytes at hand; 0 when it is none (Unicode 16, table 3-7).
static inline size_t character(const uint8_t *text, size_t left) {
    uint8_t first = text[0];
    if (first < 0x80) return 1;
    size_t count = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (count == 0 || left < count) return 0;
    uint8_t lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (text[1] < lowest || text[1] > highest) return 0;
    for (size_t index = 2; index < count; index++)
        if ((text[index] & 0xC0) != 0x80) return 0;
    return count;
}

// ASCII eight bytes at a time, everything else a character at a time.
static inline bool is_utf8(const uint8_t *text, size_t byte_count) {
    size_t offset = 0;
    while (offset < byte_count) {
        uint64_t word;
        if (byte_count - offset >= sizeof word) {
            memcpy(&word, text + offset, sizeof word);
            if ((word & 0x8080808080808080) == 0) {
                offset += sizeof word;
                continue;
            }
        }
        size_t count = character(text + offset, byte_count - offset);
        if (count == 0) return false;
        offset += count;
    }
    return true;
}

#endif
