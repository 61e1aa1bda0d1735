// SPDX-License-Identifier: Apache-2.0
#include "bytes.h"
#include "CLimit.h"
#include "utf8.h"

#include <stdlib.h>

#define APART __attribute__((noinline))

enum { client_fixed = 13, server_fixed = 20 };  // header and all fields but the text's bytes

APART size_t limit_encode_client(const limit_client_message *message, uint8_t *buffer, size_t room) {
    size_t total = client_fixed + (size_t)message->message_byte_count;
    if (room < total) return 0;
    set_big32(buffer, (uint32_t)total);
    set_big16(buffer + 4, scene_message_id);
    buffer[6] = message->scene_id;
    set_big32(buffer + 7, message->line);
    set_big16(buffer + 11, message->message_byte_count);
    memcpy(buffer + client_fixed, message->message, message->message_byte_count);
    return total;
}

APART size_t limit_encode_server(const limit_server_message *message, uint8_t *buffer, size_t room) {
    size_t total = server_fixed + (size_t)message->message_byte_count;
    if (room < total) return 0;
    set_big32(buffer, (uint32_t)total);
    set_big16(buffer + 4, scene_message_id);
    buffer[6] = message->res;
    set_big32(buffer + 7, message->scene_id);
    buffer[11] = message->pos;
    buffer[12] = message->status;
    buffer[13] = message->type;
    set_big32(buffer + 14, message->default_combat);
    set_big16(buffer + 18, message->message_byte_count);
    memcpy(buffer + server_fixed, message->message, message->message_byte_count);
    return total;
}

static inline bool is_packet(const uint8_t *packet, size_t byte_count, size_t fixed) {
    return byte_count >= fixed && big32(packet) == byte_count && big16(packet + 4) == scene_message_id;
}

APART bool limit_decode_client(const uint8_t *packet, size_t byte_count, limit_client_message *message) {
    if (!is_packet(packet, byte_count, client_fixed)) return false;
    message->scene_id = packet[6];
    message->line = big32(packet + 7);
    message->message_byte_count = big16(packet + 11);
    message->message = (const char *)packet + client_fixed;
    return byte_count - client_fixed == message->message_byte_count;
}

APART bool limit_decode_server(const uint8_t *packet, size_t byte_count, limit_server_message *message) {
    if (!is_packet(packet, byte_count, server_fixed)) return false;
    message->res = packet[6];
    message->scene_id = big32(packet + 7);
    message->pos = packet[11];
    message->status = packet[12];
    message->type = packet[13];
    message->default_combat = big32(packet + 14);
    message->message_byte_count = big16(packet + 18);
    message->message = (const char *)packet + server_fixed;
    return byte_count - server_fixed == message->message_byte_count;
}

char *limit_own_text(const char *text, size_t byte_count) {
    if (!is_utf8((const uint8_t *)text, byte_count)) return NULL;
    char *copy = malloc(byte_count + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, byte_count);
    copy[byte_count] = 0;
    return copy;
}

bool limit_repeat_encode_client(const limit_client_message *message, uint8_t *buffer, size_t room, long iterations) {
    while (iterations-- > 0) {
        if (limit_encode_client(message, buffer, room) == 0) return false;
        limit_observe(buffer);
    }
    return true;
}

bool limit_repeat_encode_server(const limit_server_message *message, uint8_t *buffer, size_t room, long iterations) {
    while (iterations-- > 0) {
        if (limit_encode_server(message, buffer, room) == 0) return false;
        limit_observe(buffer);
    }
    return true;
}

static inline bool own_and_free(const char *text, size_t byte_count) {
    char *copy = limit_own_text(text, byte_count);
    if (copy == NULL) return false;
    limit_observe(copy);
    free(copy);
    return true;
}

bool limit_repeat_decode_client(const uint8_t *packet, size_t byte_count, bool owned, long iterations) {
    while (iterations-- > 0) {
        limit_client_message message;
        if (!limit_decode_client(packet, byte_count, &message)) return false;
        limit_observe(&message);
        if (owned && !own_and_free(message.message, message.message_byte_count)) return false;
    }
    return true;
}

bool limit_repeat_decode_server(const uint8_t *packet, size_t byte_count, bool owned, long iterations) {
    while (iterations-- > 0) {
        limit_server_message message;
        if (!limit_decode_server(packet, byte_count, &message)) return false;
        limit_observe(&message);
        if (owned && !own_and_free(message.message, message.message_byte_count)) return false;
    }
    return true;
}

const char *limit_compiler(void) { return "clang " __clang_version__; }
