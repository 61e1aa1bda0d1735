// SPDX-License-Identifier: Apache-2.0
#ifndef NETWORK_BYTES_H
#define NETWORK_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum { header_byte_count = 6, count_payload_byte_count = 16 };

static inline uint32_t length_at(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return be32toh(value);
}

static inline uint16_t id_at(const uint8_t *packet) {
    uint16_t value;
    memcpy(&value, packet + 4, sizeof value);
    return be16toh(value);
}

static inline uint64_t number_at(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return be64toh(value);
}

static inline void set_header(uint8_t *packet, uint32_t byte_count, uint16_t id) {
    byte_count = htobe32(byte_count);
    id = htobe16(id);
    memcpy(packet, &byte_count, sizeof byte_count);
    memcpy(packet + 4, &id, sizeof id);
}

static inline void set_number(uint8_t *at, uint64_t value) {
    value = htobe64(value);
    memcpy(at, &value, sizeof value);
}

#endif
