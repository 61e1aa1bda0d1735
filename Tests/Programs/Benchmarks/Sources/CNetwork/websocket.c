// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "websocket.h"
#include "process.h"

#include <CLimit.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

enum { header_room = 14 };

// --- Frames

uint8_t *websocket_add_header(buffer *output, uint8_t opcode, size_t byte_count, const uint32_t *key) {
    make_room(output, output->count + header_room + byte_count);
    uint8_t *at = output->bytes + output->count, mask = key == NULL ? 0 : 0x80;
    *at++ = 0x80 | opcode;
    if (byte_count < 126) {
        *at++ = mask | (uint8_t)byte_count;
    } else if (byte_count <= UINT16_MAX) {
        uint16_t length = htobe16((uint16_t)byte_count);
        *at++ = mask | 126;
        memcpy(at, &length, sizeof length);
        at += sizeof length;
    } else {
        uint64_t length = htobe64(byte_count);
        *at++ = mask | 127;
        memcpy(at, &length, sizeof length);
        at += sizeof length;
    }
    if (key != NULL) {
        memcpy(at, key, sizeof *key);
        at += sizeof *key;
    }
    output->count = (size_t)(at - output->bytes) + byte_count;
    return at;
}

void websocket_add_closing(buffer *output, const uint32_t *key) {
    const uint8_t normal[] = {1000 >> 8, 1000 & 0xFF};
    uint8_t *payload = websocket_add_header(output, websocket_closing, sizeof normal, key);
    limit_mask(normal, payload, sizeof normal, key == NULL ? 0 : *key);
}

bool websocket_read_header(const uint8_t *bytes, size_t count, websocket_frame *frame) {
    if (count < 2) return false;
    uint8_t length = bytes[1] & 0x7F;
    size_t length_byte_count = length == 126 ? 2 : length == 127 ? 8 : 0;
    // Bits that nobody has asked for make an opcode that there is not.
    frame->opcode = bytes[0] & 0x7F;
    frame->is_final = bytes[0] & 0x80;
    frame->is_masked = bytes[1] & 0x80;
    frame->header_byte_count = 2 + length_byte_count + (frame->is_masked ? sizeof frame->key : 0);
    if (count < frame->header_byte_count) return false;
    frame->payload_byte_count = length_byte_count == 0 ? length : 0;
    for (size_t index = 0; index < length_byte_count; index += 1) {
        frame->payload_byte_count = frame->payload_byte_count << 8 | bytes[2 + index];
    }
    if (frame->is_masked) memcpy(&frame->key, bytes + 2 + length_byte_count, sizeof frame->key);
    return true;
}

// --- The load's side

// The example of RFC 6455 §1.3: its answer is known without computing it.
static const char *const example_key = "dGhlIHNhbXBsZSBub25jZQ==";
static const char *const example_answer = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";

static bool is_right(const char *answer) {
    static const char *const field = "\r\nSec-WebSocket-Accept:";
    const char *accepted = strcasestr(answer, field);
    if (strncmp(answer, "HTTP/1.1 101 ", 13) != 0 || accepted == NULL) return false;
    accepted += strlen(field);
    accepted += strspn(accepted, " ");
    // Nothing stands behind it: a server says nothing unless it is told something.
    return strncmp(accepted, example_answer, strlen(example_answer)) == 0 && strstr(answer, "\r\n\r\n")[4] == 0;
}

bool websocket_ask(channel *channel, uint16_t port, network_failure *failure) {
    char head[websocket_head_room];
    int asked = snprintf(
        head, sizeof head,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n",
        port, example_key);
    if (!channel_send_all(channel, (const uint8_t *)head, (size_t)asked, failure)) return false;
    size_t count = 0;
    do {
        ssize_t received = channel_receive(channel, (uint8_t *)head + count, sizeof head - 1 - count);
        if (received <= 0) return fail(failure, "no answer to a request for a WebSocket");
        count += (size_t)received;
        head[count] = 0;
    } while (strstr(head, "\r\n\r\n") == NULL);
    return is_right(head) || fail(failure, "a wrong answer to a request for a WebSocket: %s", head);
}

bool websocket_end(channel *channel, network_failure *failure) {
    const uint32_t key = 0x2A5D0F81;
    buffer output = {0};
    websocket_add_closing(&output, &key);
    bool is_sent = channel_send_all(channel, output.bytes, output.count, failure);
    free(output.bytes);
    return is_sent;
}
