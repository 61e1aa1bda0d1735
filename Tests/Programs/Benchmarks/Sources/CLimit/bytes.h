// SPDX-License-Identifier: Apache-2.0
#ifndef LIMIT_BYTES_H
#define LIMIT_BYTES_H

#include <stdint.h>
#include <string.h>

enum { header_byte_count = 6, scene_message_id = 20001 };

static inline uint16_t big16(const uint8_t *at) {
    uint16_t value;
    memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap16(value);
#endif
    return value;
}

static inline uint32_t big32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    return value;
}

static inline void set_big16(uint8_t *at, uint16_t value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap16(value);
#endif
    memcpy(at, &value, sizeof value);
}

static inline void set_big32(uint8_t *at, uint32_t value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    memcpy(at, &value, sizeof value);
}

#endif
