// SPDX-License-Identifier: Apache-2.0
//
// RFC 6455, as far as the load and the limit need it: each message in one frame, without compression.
#ifndef NETWORK_WEBSOCKET_H
#define NETWORK_WEBSOCKET_H

#include "buffer.h"
#include "channel.h"

enum {
    websocket_binary = 2,
    websocket_closing = 8,
    websocket_pinging = 9,
    websocket_ponging = 10,
    // The most bytes of a request, and of an answer.
    websocket_head_room = 4096,
};

// --- Frames. A key is what lies in memory; NULL where there is none.

// Puts a header after what is in `output`, with room for the payload, which counts. Returns where that goes.
uint8_t *websocket_add_header(buffer *output, uint8_t opcode, size_t byte_count, const uint32_t *key);

// Puts the frame that closes, with code 1000, after what is in `output`.
void websocket_add_closing(buffer *output, const uint32_t *key);

// What stands in front of a payload.
typedef struct {
    bool is_final, is_masked;
    uint8_t opcode;
    uint32_t key;
    size_t header_byte_count;
    uint64_t payload_byte_count;
} websocket_frame;

// Reads a header. False while it is not whole.
bool websocket_read_header(const uint8_t *bytes, size_t count, websocket_frame *frame);

// --- The load's side

// Asks the server for a WebSocket, and holds its answer against what it must be.
bool websocket_ask(channel *channel, uint16_t port, network_failure *failure);

// Tells the server that nothing more comes. What it answers is the same without a key.
bool websocket_end(channel *channel, network_failure *failure);

// --- The limit's side

// Answers a request. Returns how many bytes of it were taken: 0 while it is not whole, -1 when it is wrong.
ssize_t websocket_answer(const uint8_t *bytes, size_t count, buffer *output);

// Sends back what lies whole in some bytes. Returns how many were taken, -1 when something is wrong; `has_ended` is set
// after the answer to a frame that closes.
ssize_t websocket_reply(const uint8_t *bytes, size_t count, buffer *output, bool *has_ended);

#endif
