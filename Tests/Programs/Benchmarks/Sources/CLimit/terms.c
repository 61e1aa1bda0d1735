// SPDX-License-Identifier: Apache-2.0
// Erlang's external term format: the terms that the benchmarks have, and no others.
#include "bytes.h"
#include "CLimit.h"

#include <stdlib.h>

#define APART __attribute__((noinline))

enum {
    small_integer = 97, integer = 98, float_term = 70, atom = 119, binary = 109, empty_list = 106, list = 108,
    small_tuple = 104, map = 116, deepest = 64,
};

typedef struct {
    const uint8_t *at, *end;
} term_input;

static inline bool has(const term_input *input, size_t count) { return (size_t)(input->end - input->at) >= count; }

static inline double big_double(const uint8_t *at) {
    uint64_t bits = (uint64_t)big32(at) << 32 | big32(at + 4);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// MARK: Terms of their own

// Reads a term, with memory of its own for what it contains. After a failure, what has been read is freed.
static bool read_term(term_input *input, limit_term *term, int depth) {
    if (depth > deepest || !has(input, 1)) return false;
    term->kind = *input->at++;
    term->count = 0;
    size_t count = 0;
    switch (term->kind) {
    case small_integer:
        if (!has(input, 1)) return false;
        term->integer = *input->at++;
        return true;
    case integer:
        if (!has(input, 4)) return false;
        term->integer = (int32_t)big32(input->at);
        input->at += 4;
        return true;
    case float_term:
        if (!has(input, 8)) return false;
        term->number = big_double(input->at);
        input->at += 8;
        return true;
    case empty_list: return true;
    case atom:
    case binary:
        if (term->kind == atom) {
            if (!has(input, 1)) return false;
            count = *input->at++;
        } else {
            if (!has(input, 4)) return false;
            count = big32(input->at);
            input->at += 4;
        }
        if (!has(input, count)) return false;
        if (term->kind == atom && !limit_is_text((const char *)input->at, count)) return false;
        term->bytes = malloc(count + 1);
        if (term->bytes == NULL) return false;
        memcpy(term->bytes, input->at, count);
        term->count = (uint32_t)count;
        input->at += count;
        return true;
    case small_tuple:
        if (!has(input, 1)) return false;
        count = *input->at++;
        break;
    case list:
    case map:
        if (!has(input, 4)) return false;
        count = big32(input->at);
        input->at += 4;
        if (!has(input, count)) return false;
        if (term->kind == map) count *= 2;
        break;
    default: return false;
    }
    if (!has(input, count)) return false;
    term->items = malloc(count * sizeof(limit_term) + 1);
    if (term->items == NULL) return false;
    while (term->count < count) {
        if (!read_term(input, &term->items[term->count], depth + 1)) {
            limit_free_term(term);
            return false;
        }
        term->count += 1;
    }
    if (term->kind != list) return true;
    if (has(input, 1) && *input->at++ == empty_list) return true;
    limit_free_term(term);
    return false;
}

void limit_free_term(limit_term *term) {
    switch (term->kind) {
    case atom:
    case binary: free(term->bytes); return;
    case small_tuple:
    case list:
    case map:
        for (uint32_t index = 0; index < term->count; index += 1) limit_free_term(&term->items[index]);
        free(term->items);
        return;
    default: return;
    }
}

APART bool limit_decode_term(const uint8_t *bytes, size_t byte_count, limit_term *term) {
    term_input input = {bytes, bytes + byte_count};
    if (!has(&input, 1) || *input.at++ != 131 || !read_term(&input, term, 0)) return false;
    if (input.at == input.end) return true;
    limit_free_term(term);
    return false;
}

// MARK: Reading without memory

// Adds up the integers and the bytes of binaries.
static bool walk(term_input *input, uint64_t *sum, int depth) {
    if (depth > deepest || !has(input, 1)) return false;
    uint8_t kind = *input->at++;
    size_t count = 0;
    switch (kind) {
    case small_integer:
        if (!has(input, 1)) return false;
        *sum += *input->at++;
        return true;
    case integer:
        if (!has(input, 4)) return false;
        *sum += (uint64_t)(int64_t)(int32_t)big32(input->at);
        input->at += 4;
        return true;
    case float_term:
        if (!has(input, 8)) return false;
        input->at += 8;
        return true;
    case empty_list: return true;
    case atom:
        if (!has(input, 1)) return false;
        count = *input->at++;
        if (!has(input, count)) return false;
        input->at += count;
        return true;
    case binary:
        if (!has(input, 4)) return false;
        count = big32(input->at);
        input->at += 4;
        if (!has(input, count)) return false;
        input->at += count;
        *sum += count;
        return true;
    case small_tuple:
        if (!has(input, 1)) return false;
        count = *input->at++;
        break;
    case list:
    case map:
        if (!has(input, 4)) return false;
        count = big32(input->at);
        input->at += 4;
        if (kind == map) count *= 2;
        break;
    default: return false;
    }
    for (size_t index = 0; index < count; index += 1) {
        if (!walk(input, sum, depth + 1)) return false;
    }
    return kind != list || (has(input, 1) && *input->at++ == empty_list);
}

APART bool limit_walk_term(const uint8_t *bytes, size_t byte_count, uint64_t *sum) {
    term_input input = {bytes, bytes + byte_count};
    *sum = 0;
    return has(&input, 1) && *input.at++ == 131 && walk(&input, sum, 0) && input.at == input.end;
}

static bool read_integer(term_input *input, uint32_t *value) {
    if (!has(input, 2)) return false;
    if (*input->at == small_integer) {
        *value = input->at[1];
        input->at += 2;
        return true;
    }
    if (*input->at != integer || !has(input, 5)) return false;
    *value = big32(input->at + 1);
    input->at += 5;
    return true;
}

APART bool limit_read_record(const uint8_t *bytes, size_t byte_count, limit_server_message *message) {
    static const uint8_t head[] = {131, small_tuple, 9, atom, 8, 's', 'c', '_', '2', '0', '0', '0', '1'};
    term_input input = {bytes, bytes + byte_count};
    uint32_t res, pos, status, type;
    if (!has(&input, sizeof head) || memcmp(bytes, head, sizeof head) != 0) return false;
    input.at += sizeof head;
    if (!read_integer(&input, &res) || !read_integer(&input, &message->scene_id) || !read_integer(&input, &pos)
        || !read_integer(&input, &status) || !read_integer(&input, &type)
        || !read_integer(&input, &message->default_combat) || !has(&input, 5) || *input.at != binary)
        return false;
    size_t count = big32(input.at + 1);
    input.at += 5;
    if (!has(&input, count + 5) || count > UINT16_MAX || res > 255 || pos > 255 || status > 255 || type > 255)
        return false;
    message->res = (uint8_t)res;
    message->pos = (uint8_t)pos;
    message->status = (uint8_t)status;
    message->type = (uint8_t)type;
    message->message = (const char *)input.at;
    message->message_byte_count = (uint16_t)count;
    input.at += count;
    // What follows the known fields: an empty binary.
    return *input.at == binary && big32(input.at + 1) == 0 && input.end - input.at == 5;
}

// MARK: Writing

static uint8_t *write_term(const limit_term *term, uint8_t *at, const uint8_t *end) {
    if (at == NULL || end - at < 9) return NULL;
    *at++ = term->kind;
    switch (term->kind) {
    case small_integer: *at++ = (uint8_t)term->integer; return at;
    case integer: set_big32(at, (uint32_t)term->integer); return at + 4;
    case float_term: {
        uint64_t bits;
        memcpy(&bits, &term->number, sizeof bits);
        set_big32(at, (uint32_t)(bits >> 32));
        set_big32(at + 4, (uint32_t)bits);
        return at + 8;
    }
    case empty_list: return at;
    case atom:
        if ((size_t)(end - at) < term->count + 1) return NULL;
        *at++ = (uint8_t)term->count;
        memcpy(at, term->bytes, term->count);
        return at + term->count;
    case binary:
        if ((size_t)(end - at) < term->count + 4) return NULL;
        set_big32(at, term->count);
        memcpy(at + 4, term->bytes, term->count);
        return at + 4 + term->count;
    case small_tuple: *at++ = (uint8_t)term->count; break;
    case list: set_big32(at, term->count), at += 4; break;
    case map: set_big32(at, term->count / 2), at += 4; break;
    default: return NULL;
    }
    for (uint32_t index = 0; index < term->count; index += 1) at = write_term(&term->items[index], at, end);
    if (term->kind != list || at == NULL || at == end) return term->kind == list ? NULL : at;
    *at++ = empty_list;
    return at;
}

APART size_t limit_encode_term(const limit_term *term, uint8_t *buffer, size_t room) {
    if (room == 0) return 0;
    buffer[0] = 131;
    uint8_t *end = write_term(term, buffer + 1, buffer + room);
    return end == NULL ? 0 : (size_t)(end - buffer);
}

// MARK: Again and again

bool limit_repeat_decode_term(const uint8_t *bytes, size_t byte_count, long iterations) {
    while (iterations-- > 0) {
        limit_term term;
        if (!limit_decode_term(bytes, byte_count, &term)) return false;
        limit_observe(&term);
        limit_free_term(&term);
    }
    return true;
}

bool limit_repeat_walk_term(const uint8_t *bytes, size_t byte_count, long iterations) {
    while (iterations-- > 0) {
        uint64_t sum;
        if (!limit_walk_term(bytes, byte_count, &sum)) return false;
        limit_observe(&sum);
    }
    return true;
}

bool limit_repeat_read_record(const uint8_t *bytes, size_t byte_count, long iterations) {
    while (iterations-- > 0) {
        limit_server_message message;
        if (!limit_read_record(bytes, byte_count, &message)) return false;
        limit_observe(&message);
    }
    return true;
}

bool limit_repeat_encode_term(const limit_term *term, uint8_t *buffer, size_t room, long iterations) {
    while (iterations-- > 0) {
        if (limit_encode_term(term, buffer, room) == 0) return false;
        limit_observe(buffer);
    }
    return true;
}
