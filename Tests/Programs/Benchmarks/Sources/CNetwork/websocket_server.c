// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "websocket.h"

#include <CLimit.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

enum { message_limit = 16 << 20, block_byte_count = 64, digest_byte_count = 20 };

// --- SHA-1 (RFC 3174)

static uint32_t rotated(uint32_t value, int count) { return value << count | value >> (32 - count); }

static void digest_block(uint32_t state[5], const uint8_t *block) {
    uint32_t words[80];
    memcpy(words, block, block_byte_count);
    for (int index = 0; index < 16; index += 1) words[index] = be32toh(words[index]);
    for (int index = 16; index < 80; index += 1) {
        words[index] = rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int index = 0; index < 80; index += 1) {
        uint32_t mixed = index < 20 ? ((b & c) | (~b & d)) + 0x5A827999
            : index < 40            ? (b ^ c ^ d) + 0x6ED9EBA1
            : index < 60            ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                    : (b ^ c ^ d) + 0xCA62C1D6;
        uint32_t next = rotated(a, 5) + mixed + e + words[index];
        e = d, d = c, c = rotated(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

// The digest of at most 119 characters, which are two blocks.
static void digest_text(const char *text, uint8_t digest[digest_byte_count]) {
    uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    uint8_t blocks[2 * block_byte_count] = {0};
    size_t count = strlen(text), padded = count < block_byte_count - 8 ? block_byte_count : 2 * block_byte_count;
    memcpy(blocks, text, count);
    blocks[count] = 0x80;
    uint64_t bit_count = htobe64(8 * (uint64_t)count);
    memcpy(blocks + padded - sizeof bit_count, &bit_count, sizeof bit_count);
    for (size_t done = 0; done < padded; done += block_byte_count) digest_block(state, blocks + done);
    for (int index = 0; index < 5; index += 1) state[index] = htobe32(state[index]);
    memcpy(digest, state, digest_byte_count);
}

// --- The handshake

// What a request with this key is answered, in base64 (RFC 6455 §4.2.2); the room is for 28 characters.
static void accept_key(const char *key, char accepted[29]) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[64];
    uint8_t digest[digest_byte_count + 1] = {0};
    snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    digest_text(text, digest);
    for (int group = 0; group < 7; group += 1) {
        const uint8_t *at = digest + 3 * group;
        uint32_t bits = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
        for (int index = 0; index < 4; index += 1) accepted[4 * group + index] = digits[bits >> (18 - 6 * index) & 63];
    }
    // Of the last three bytes there are two.
    memcpy(accepted + 27, "=", 2);
}

ssize_t websocket_answer(const uint8_t *bytes, size_t count, buffer *output) {
    static const char field[] = "\r\nSec-WebSocket-Key: ", end[] = "\r\n\r\n";
    char head[websocket_head_room], accepted[29];
    if (count >= sizeof head) return -1;
    memcpy(head, bytes, count);
    head[count] = 0;
    const char *last = strstr(head, end), *key = strcasestr(head, field);
    if (last == NULL) return 0;
    if (key == NULL || strcspn(key + strlen(field), "\r") != 24) return -1;
    accept_key(key + strlen(field), accepted);
    make_room(output, output->count + websocket_head_room);
    output->count += (size_t)snprintf(
        (char *)output->bytes + output->count, websocket_head_room,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: %s\r\n\r\n",
        accepted);
    return last + strlen(end) - head;
}

// --- Messages

static bool is_known(uint8_t opcode) {
    const uint16_t known = 1 << 1 | 1 << websocket_binary | 1 << websocket_closing | 1 << websocket_pinging |
        1 << websocket_ponging;
    return opcode < 16 && known >> opcode & 1;
}

ssize_t websocket_reply(const uint8_t *bytes, size_t count, buffer *output, bool *has_ended) {
    websocket_frame frame;
    size_t taken = 0;
    while (!*has_ended && websocket_read_header(bytes + taken, count - taken, &frame)) {
        if (!frame.is_final || !frame.is_masked || !is_known(frame.opcode)) return -1;
        if (frame.payload_byte_count > message_limit) return -1;
        size_t byte_count = (size_t)frame.payload_byte_count;
        if (count - taken - frame.header_byte_count < byte_count) break;
        const uint8_t *payload = bytes + taken + frame.header_byte_count;
        taken += frame.header_byte_count + byte_count;
        if (frame.opcode == websocket_ponging) continue;
        if (frame.opcode == websocket_pinging) frame.opcode = websocket_ponging;
        *has_ended = frame.opcode == websocket_closing;
        limit_mask(payload, websocket_add_header(output, frame.opcode, byte_count, NULL), byte_count, frame.key);
    }
    return (ssize_t)taken;
}
