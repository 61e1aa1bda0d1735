// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLimit.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// MARK: zlib

// `z_stream` of zlib.h, so that no header need be installed.
typedef struct {
    const uint8_t *_Nullable next_in;
    unsigned avail_in;
    unsigned long total_in;
    uint8_t *_Nullable next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *_Nullable msg;
    void *_Nullable state, *_Nullable zalloc, *_Nullable zfree, *_Nullable opaque;
    int data_type;
    unsigned long adler, reserved;
} stream;

struct limit_inflater {
    stream stream;
    int (*inflate)(stream *, int);
    int (*reset)(stream *);
};

limit_inflater *_Nullable limit_make_inflater(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return NULL;
    int (*initialize)(stream *, int, const char *, int) =
        (int (*)(stream *, int, const char *, int))dlsym(library, "inflateInit2_");
    const char *(*version)(void) = (const char *(*)(void))dlsym(library, "zlibVersion");
    limit_inflater *inflater = calloc(1, sizeof *inflater);
    inflater->inflate = (int (*)(stream *, int))dlsym(library, "inflate");
    inflater->reset = (int (*)(stream *))dlsym(library, "inflateReset");
    if (initialize(&inflater->stream, 15, version(), sizeof inflater->stream) != 0) return NULL;
    return inflater;
}

uint8_t *_Nullable limit_inflate(
    limit_inflater *inflater, const uint8_t *bytes, size_t byte_count, size_t limit, size_t *content_byte_count) {
    enum { end = 1, finish = 4 };
    stream *stream = &inflater->stream;
    inflater->reset(stream);
    size_t room = byte_count * 4 < limit ? byte_count * 4 : limit, filled = 0;
    uint8_t *content = malloc(room);
    stream->next_in = bytes;
    stream->avail_in = (unsigned)byte_count;
    for (;;) {
        stream->next_out = content + filled;
        stream->avail_out = (unsigned)(room - filled);
        const int status = inflater->inflate(stream, finish);
        filled = room - stream->avail_out;
        if (status == end && stream->avail_in == 0) break;
        if (filled < room || room == limit) {
            free(content);
            return NULL;
        }
        room = room * 2 < limit ? room * 2 : limit;
        content = realloc(content, room);
    }
    *content_byte_count = filled;
    return content;
}

// MARK: XOR

static inline void combine(uint8_t *to, const uint8_t *left, const uint8_t *right, size_t byte_count) {
    for (size_t offset = 0; offset < byte_count; offset++) to[offset] = left[offset] ^ right[offset];
}

__attribute__((noinline)) uint8_t *limit_xor(
    const uint8_t *stream, size_t stream_byte_count, const uint8_t *bytes, size_t byte_count) {
    uint8_t *restrict content = malloc(byte_count);
    for (size_t offset = 0; offset < byte_count; offset += stream_byte_count) {
        const size_t rest = byte_count - offset;
        combine(content + offset, bytes + offset, stream, rest < stream_byte_count ? rest : stream_byte_count);
    }
    return content;
}

// MARK: RC4

void limit_begin_rc4(limit_rc4 *rc4, const uint8_t *key, size_t key_byte_count) {
    for (int index = 0; index < 256; index++) rc4->state[index] = (uint8_t)index;
    rc4->index = rc4->other = 0;
    uint8_t place = 0;
    for (int index = 0; index < 256; index++) {
        const uint8_t value = rc4->state[index];
        place += value + key[index % key_byte_count];
        rc4->state[index] = rc4->state[place];
        rc4->state[place] = value;
    }
}

__attribute__((noinline)) uint8_t *limit_rc4_content(limit_rc4 *rc4, const uint8_t *bytes, size_t byte_count) {
    uint8_t *restrict content = malloc(byte_count);
    uint8_t index = rc4->index, other = rc4->other;
    uint8_t *restrict state = rc4->state;
    for (size_t offset = 0; offset < byte_count; offset++) {
        const uint8_t first = state[++index];
        other += first;
        const uint8_t second = state[other];
        state[index] = second;
        state[other] = first;
        content[offset] = bytes[offset] ^ state[(uint8_t)(first + second)];
    }
    rc4->index = index;
    rc4->other = other;
    return content;
}
