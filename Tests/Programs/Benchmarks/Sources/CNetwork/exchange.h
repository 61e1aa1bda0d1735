// SPDX-License-Identifier: Apache-2.0
//
// What a connection of the load's sends, and what has to come back for it.
#ifndef NETWORK_EXCHANGE_H
#define NETWORK_EXCHANGE_H

#include "buffer.h"
#include "CNetwork.h"

typedef struct {
    bool is_of_websocket;
    buffer requests;   // packets, or a client's frames
    buffer unmasked;   // the server's frames; packets come back as they are
} exchange;

static inline const buffer *exchange_replies(const exchange *self) {
    return self->is_of_websocket ? &self->unmasked : &self->requests;
}

// Adds a packet, or a binary message of as many bytes, which has no ID.
void exchange_add(exchange *self, uint16_t id, size_t payload_byte_count, uint64_t *random);

// Adds what comes back when a WebSocket is ended.
void exchange_add_end(exchange *self);

void exchange_free(exchange *self);

#endif
