// SPDX-License-Identifier: Apache-2.0
#include "bytes.h"
#include "CLimit.h"

#include <stdlib.h>

enum { packet_limit = 1 << 20 };

typedef struct {
    uint8_t *torn;  // the beginning of a packet whose rest has not arrived: room for packet_limit bytes
    size_t held;
} splitter;

static inline __attribute__((always_inline)) void add_inlined(
    limit_tally *tally, uint16_t id, const uint8_t *payload, size_t byte_count) {
    tally->mixture ^= (uint64_t)id + payload[0];
    tally->packets += 1;
    tally->payload_bytes += byte_count;
}

static __attribute__((noinline)) void add(limit_tally *tally, uint16_t id, const uint8_t *payload, size_t byte_count) {
    add_inlined(tally, id, payload, byte_count);
}

// A framework does not know its receiver: the compiler must not either.
static limit_receiver volatile unknown_receiver = add;

static inline bool is_length(uint32_t length) { return length >= header_byte_count && length <= packet_limit; }

// Completes the torn packet. Returns whether nothing is held any more.
static inline __attribute__((always_inline)) bool complete(
    splitter *self, const uint8_t **bytes, size_t *byte_count, limit_receiver receiver, limit_tally *tally, bool *ok) {
    while (self->held != 0) {
        size_t needed = 4;
        if (self->held >= 4) {
            uint32_t length = big32(self->torn);
            if (!is_length(length)) return *ok = false;
            needed = length;
        }
        if (self->held < needed) {
            size_t taken = needed - self->held < *byte_count ? needed - self->held : *byte_count;
            memcpy(self->torn + self->held, *bytes, taken);
            self->held += taken;
            *bytes += taken;
            *byte_count -= taken;
            if (self->held < needed) return false;
            if (needed == 4) continue;
        }
        receiver(tally, big16(self->torn + 4), self->torn + header_byte_count, needed - header_byte_count);
        self->held = 0;
    }
    return true;
}

static inline __attribute__((always_inline)) bool feed(
    splitter *self, const uint8_t *bytes, size_t byte_count, limit_receiver receiver, limit_tally *tally) {
    bool ok = true;
    if (!complete(self, &bytes, &byte_count, receiver, tally, &ok)) return ok;
    while (byte_count >= 4) {
        uint32_t length = big32(bytes);
        if (!is_length(length)) return false;
        if (byte_count < length) break;
        receiver(tally, big16(bytes + 4), bytes + header_byte_count, length - header_byte_count);
        bytes += length;
        byte_count -= length;
    }
    if (byte_count != 0) {
        memcpy(self->torn, bytes, byte_count);
        self->held = byte_count;
    }
    return true;
}

static __attribute__((noinline)) bool feed_inlined(
    splitter *self, const uint8_t *bytes, size_t byte_count, limit_tally *tally) {
    return feed(self, bytes, byte_count, add_inlined, tally);
}

static __attribute__((noinline)) bool feed_calling(
    splitter *self, const uint8_t *bytes, size_t byte_count, limit_receiver receiver, limit_tally *tally) {
    return feed(self, bytes, byte_count, receiver, tally);
}

static inline __attribute__((always_inline)) bool split(
    const uint8_t *bytes, size_t byte_count, size_t piece, limit_tally *tally, limit_receiver _Nullable receiver) {
    splitter self = {malloc(packet_limit), 0};
    if (self.torn == NULL) return false;
    bool ok = true;
    for (size_t offset = 0; ok && offset < byte_count; offset += piece) {
        size_t count = byte_count - offset < piece ? byte_count - offset : piece;
        ok = receiver == NULL ? feed_inlined(&self, bytes + offset, count, tally)
                              : feed_calling(&self, bytes + offset, count, receiver, tally);
    }
    free(self.torn);
    return ok && self.held == 0;
}

bool limit_split_inlined(const uint8_t *bytes, size_t byte_count, size_t piece, limit_tally *tally) {
    return split(bytes, byte_count, piece, tally, NULL);
}

bool limit_split_calling(const uint8_t *bytes, size_t byte_count, size_t piece, limit_tally *tally) {
    return split(bytes, byte_count, piece, tally, unknown_receiver);
}
