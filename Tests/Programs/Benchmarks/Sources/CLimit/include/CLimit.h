// SPDX-License-Identifier: Apache-2.0
//
// Hand-written C for the same bytes: what all ratios are relative to.
#ifndef CLIMIT_H
#define CLIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct {
    uint8_t scene_id;
    uint32_t line;
    const char *message;
    uint16_t message_byte_count;
} limit_client_message;

typedef struct {
    uint8_t res;
    uint32_t scene_id;
    uint8_t pos, status, type;
    uint32_t default_combat;
    const char *message;
    uint16_t message_byte_count;
} limit_server_message;

// Encoding: the packet's byte count, or 0 when `room` is too small.
size_t limit_encode_client(const limit_client_message *message, uint8_t *buffer, size_t room);
size_t limit_encode_server(const limit_server_message *message, uint8_t *buffer, size_t room);

// Decoding: every length is checked, the text is lent out of the packet and not looked at.
bool limit_decode_client(const uint8_t *packet, size_t byte_count, limit_client_message *message);
bool limit_decode_server(const uint8_t *packet, size_t byte_count, limit_server_message *message);

// A checked copy of lent text, to be freed by the caller; NULL when it is not UTF-8.
char *_Nullable limit_own_text(const char *text, size_t byte_count);

// The same, `iterations` times; false when one of them failed.
bool limit_repeat_encode_client(const limit_client_message *message, uint8_t *buffer, size_t room, long iterations);
bool limit_repeat_encode_server(const limit_server_message *message, uint8_t *buffer, size_t room, long iterations);
bool limit_repeat_decode_client(const uint8_t *packet, size_t byte_count, bool owned, long iterations);
bool limit_repeat_decode_server(const uint8_t *packet, size_t byte_count, bool owned, long iterations);

// What a receiver of packets adds up; the payloads of the streams here are never empty.
typedef struct {
    uint64_t packets, mixture, payload_bytes;
} limit_tally;

typedef void (*limit_receiver)(limit_tally *tally, uint16_t id, const uint8_t *payload, size_t byte_count);

// Splits `bytes`, which arrive in pieces of `piece` bytes, and adds the packets up. Packets that lie whole in a piece
// are not copied. False when a length is wrong or the stream ends inside a packet.
bool limit_split_inlined(const uint8_t *bytes, size_t byte_count, size_t piece, limit_tally *tally);
bool limit_split_calling(const uint8_t *bytes, size_t byte_count, size_t piece, limit_tally *tally);

// The client's message in packets with a header of varying width (Varying/varying.wire), and what is set in that header.
typedef struct {
    bool is_versioned;
    uint8_t level;
    uint16_t version;
    uint64_t serial;
} limit_varying_values;

// The packet's byte count, or 0 when `room` is too small.
size_t limit_encode_varying(
    const limit_client_message *message, const limit_varying_values *values, uint8_t *buffer, size_t room);
bool limit_decode_varying(const uint8_t *packet, size_t byte_count, limit_client_message *message);

// The same, `iterations` times; decoding takes a checked copy of the text.
bool limit_repeat_encode_varying(
    const limit_client_message *message, const limit_varying_values *values, uint8_t *buffer, size_t room,
    long iterations);
bool limit_repeat_decode_varying(const uint8_t *packet, size_t byte_count, long iterations);

// Splits as `limit_split_calling`, except that all of a piece is copied after a packet that the last one began.
bool limit_split_varying(const uint8_t *bytes, size_t byte_count, size_t piece, limit_tally *tally);

// Masks bytes as RFC 6455 §5.3 wants it, on their way from one place to another or where they stand; the key as it lies in
// memory. The one goes 128 bytes a step, in vectors of 32, the other 8 bytes a step.
void limit_mask(const uint8_t *source, uint8_t *destination, size_t byte_count, uint32_t key);
void limit_mask_words(const uint8_t *source, uint8_t *destination, size_t byte_count, uint32_t key);

// Whether some bytes are UTF-8.
typedef bool (*limit_text_check)(const char *text, size_t byte_count);

// ASCII 8 bytes a step, everything else a character at a time.
bool limit_is_text(const char *text, size_t byte_count);

// That of simdjson, which chooses the best that the processor has; NULL where it is not installed.
limit_text_check _Nullable limit_simdjson(void);

// Layers of packets. Each content is in memory of its own, which the caller frees.

// A state of zlib, which is kept from packet to packet; NULL where zlib is not installed. It is never freed.
typedef struct limit_inflater limit_inflater;
limit_inflater *_Nullable limit_make_inflater(void);

// NULL when the bytes are no whole stream, or make more than `limit` bytes.
uint8_t *_Nullable limit_inflate(
    limit_inflater *inflater, const uint8_t *bytes, size_t byte_count, size_t limit, size_t *content_byte_count);

// `stream` is the key, repeated.
uint8_t *limit_xor(const uint8_t *stream, size_t stream_byte_count, const uint8_t *bytes, size_t byte_count);

typedef struct {
    uint8_t state[256], index, other;
} limit_rc4;
void limit_begin_rc4(limit_rc4 *rc4, const uint8_t *key, size_t key_byte_count);
uint8_t *limit_rc4_content(limit_rc4 *rc4, const uint8_t *bytes, size_t byte_count);

// A term of Erlang, with memory of its own for what it contains: bytes of an atom or a binary, or terms.
typedef struct limit_term {
    uint8_t kind;
    uint32_t count;
    union {
        int64_t integer;
        double number;
        uint8_t *_Null_unspecified bytes;
        struct limit_term *_Null_unspecified items;
    };
} limit_term;

// Reads a term in the external format; only the kinds of terms that the benchmarks have.
bool limit_decode_term(const uint8_t *bytes, size_t byte_count, limit_term *term);
void limit_free_term(limit_term *term);

// Adds up the integers and the bytes of binaries in a term, without any memory.
bool limit_walk_term(const uint8_t *bytes, size_t byte_count, uint64_t *sum);

// Reads `#sc_20001{}`; the text is lent out of the term and not looked at.
bool limit_read_record(const uint8_t *bytes, size_t byte_count, limit_server_message *message);

// The term's byte count, or 0 when `room` is too small.
size_t limit_encode_term(const limit_term *term, uint8_t *buffer, size_t room);

// The same, `iterations` times; decoding frees the term again.
bool limit_repeat_decode_term(const uint8_t *bytes, size_t byte_count, long iterations);
bool limit_repeat_walk_term(const uint8_t *bytes, size_t byte_count, long iterations);
bool limit_repeat_read_record(const uint8_t *bytes, size_t byte_count, long iterations);
bool limit_repeat_encode_term(const limit_term *term, uint8_t *buffer, size_t room, long iterations);

// Makes the compiler believe that somebody reads what `address` points to, and may have changed all memory.
static inline void limit_observe(const void *address) { __asm__ volatile("" : : "r"(address) : "memory"); }

// The processor time of this thread, which leaves out the time that it waits for a core.
uint64_t limit_thread_nanoseconds(void);

// The compiler's version.
const char *limit_compiler(void);

#pragma clang assume_nonnull end

#endif
