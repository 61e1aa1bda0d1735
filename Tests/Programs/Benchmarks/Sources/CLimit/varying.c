// SPDX-License-Identifier: Apache-2.0
// A header whose width varies, as in Varying/varying.wire.
#include "bytes.h"
#include "CLimit.h"

#include <stdlib.h>

#define APART __attribute__((noinline))

enum { packet_limit = 1 << 20, line_id = 5, line_fixed = 7 };

typedef struct {
    uint8_t kind;
    size_t header_byte_count, packet_byte_count;
} varying_header;

// Reads a varint in its shortest form. Returns its byte count; 0 when it is incomplete, and 11 when it is wrong.
static inline size_t read_varint(const uint8_t *bytes, size_t room, uint64_t *value) {
    *value = 0;
    for (size_t index = 0; index < 10; index += 1) {
        if (index == room) return 0;
        uint8_t byte = bytes[index];
        if (index == 9 && byte > 1) return 11;
        *value |= (uint64_t)(byte & 0x7F) << (7 * index);
        if (byte < 0x80) return byte == 0 && index > 0 ? 11 : index + 1;
    }
    return 11;
}

typedef enum { header_read, header_incomplete, header_wrong } header_result;

static inline __attribute__((always_inline)) header_result read_header(
    const uint8_t *bytes, size_t room, varying_header *header) {
    if (room < 2) return header_incomplete;
    uint64_t size, serial;
    size_t size_byte_count = read_varint(bytes + 1, room - 1, &size);
    if (size_byte_count == 0) return header_incomplete;
    size_t at = 1 + size_byte_count;
    if (size_byte_count > 10 || size > packet_limit - at) return header_wrong;
    header->packet_byte_count = at + size;
    if (bytes[0] & 0x08) at += 2;
    if (at >= header->packet_byte_count) return header_wrong;
    if (at >= room) return header_incomplete;
    size_t serial_byte_count = read_varint(bytes + at, room - at, &serial);
    if (serial_byte_count == 0) return header_incomplete;
    if (serial_byte_count > 10) return header_wrong;
    at += serial_byte_count;
    if (at > header->packet_byte_count) return header_wrong;
    header->kind = bytes[0] >> 4;
    header->header_byte_count = at;
    return header_read;
}

static inline size_t varint_byte_count(uint64_t value) {
    size_t count = 1;
    while (value >= 0x80) value >>= 7, count += 1;
    return count;
}

static inline uint8_t *write_varint(uint8_t *at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = (uint8_t)value | 0x80;
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

APART size_t limit_encode_varying(
    const limit_client_message *message, const limit_varying_values *values, uint8_t *buffer, size_t room) {
    size_t size = (values->is_versioned ? 2 : 0) + varint_byte_count(values->serial) + line_fixed
        + (size_t)message->message_byte_count;
    size_t total = 1 + varint_byte_count(size) + size;
    if (total > room || values->level > 7) return 0;
    uint8_t *at = buffer;
    *at++ = (uint8_t)(line_id << 4 | values->is_versioned << 3 | values->level);
    at = write_varint(at, size);
    if (values->is_versioned) {
        set_big16(at, values->version);
        at += 2;
    }
    at = write_varint(at, values->serial);
    at[0] = message->scene_id;
    set_big32(at + 1, message->line);
    set_big16(at + 5, message->message_byte_count);
    memcpy(at + line_fixed, message->message, message->message_byte_count);
    return total;
}

APART bool limit_decode_varying(const uint8_t *packet, size_t byte_count, limit_client_message *message) {
    varying_header header;
    if (read_header(packet, byte_count, &header) != header_read || header.packet_byte_count != byte_count
        || header.kind != line_id || byte_count - header.header_byte_count < line_fixed)
        return false;
    const uint8_t *payload = packet + header.header_byte_count;
    message->scene_id = payload[0];
    message->line = big32(payload + 1);
    message->message_byte_count = big16(payload + 5);
    message->message = (const char *)payload + line_fixed;
    return byte_count - header.header_byte_count - line_fixed == message->message_byte_count;
}

bool limit_repeat_encode_varying(
    const limit_client_message *message, const limit_varying_values *values, uint8_t *buffer, size_t room,
    long iterations) {
    while (iterations-- > 0) {
        if (limit_encode_varying(message, values, buffer, room) == 0) return false;
        limit_observe(buffer);
    }
    return true;
}

bool limit_repeat_decode_varying(const uint8_t *packet, size_t byte_count, long iterations) {
    while (iterations-- > 0) {
        limit_client_message message;
        if (!limit_decode_varying(packet, byte_count, &message)) return false;
        char *text = limit_own_text(message.message, message.message_byte_count);
        if (text == NULL) return false;
        limit_observe(text);
        free(text);
    }
    return true;
}

// Passes on the packets that are whole. Returns how many bytes they have; SIZE_MAX when one is wrong.
static size_t pass_on(const uint8_t *bytes, size_t byte_count, limit_receiver receiver, limit_tally *tally) {
    size_t start = 0;
    while (true) {
        varying_header header;
        header_result result = read_header(bytes + start, byte_count - start, &header);
        if (result == header_wrong) return SIZE_MAX;
        if (result == header_incomplete || header.packet_byte_count > byte_count - start) return start;
        receiver(
            tally, header.kind, bytes + start + header.header_byte_count,
            header.packet_byte_count - header.header_byte_count);
        start += header.packet_byte_count;
    }
}

static __attribute__((noinline)) void add(limit_tally *tally, uint16_t id, const uint8_t *payload, size_t byte_count) {
    tally->mixture ^= (uint64_t)id + payload[0];
    tally->packets += 1;
    tally->payload_bytes += byte_count;
}

// A framework does not know its receiver: the compiler must not either.
static limit_receiver volatile unknown_receiver = add;

bool limit_split_varying(const uint8_t *bytes, size_t byte_count, size_t piece, limit_tally *tally) {
    limit_receiver receiver = unknown_receiver;
    uint8_t *held = malloc(packet_limit + piece);  // the beginning of a packet, and the next piece after it
    if (held == NULL) return false;
    size_t held_byte_count = 0;
    bool ok = true;
    for (size_t offset = 0; ok && offset < byte_count; offset += piece) {
        size_t count = byte_count - offset < piece ? byte_count - offset : piece;
        const uint8_t *rest = bytes + offset;
        if (held_byte_count > 0) {
            memcpy(held + held_byte_count, rest, count);
            rest = held;
            count += held_byte_count;
        }
        size_t passed = pass_on(rest, count, receiver, tally);
        ok = passed != SIZE_MAX;
        if (!ok) break;
        held_byte_count = count - passed;
        memmove(held, rest + passed, held_byte_count);
    }
    free(held);
    return ok && held_byte_count == 0;
}
