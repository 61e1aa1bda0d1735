// SPDX-License-Identifier: Apache-2.0
//
// Streams that arrive as no benchmark sends them: what comes back must be the same bytes, and nothing more.
#define _GNU_SOURCE
#include "channel.h"
#include "exchange.h"
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { connection_count = 2, read_byte_count = 256 * 1024, burst_byte_count = 1 << 20 };

typedef struct {
    channel channel;
    uint64_t random;
    exchange exchange;
    size_t sent, received;
    // What comes back before the connection is ended.
    size_t echoed_byte_count;
    bool has_ended;
} connection;

// The size of the payload of a stream's next packet.
static size_t payload_size(network_delivery delivery, uint64_t *random) {
    uint64_t value = next_random(random);
    switch (delivery) {
        case network_single_bytes: return value % 40;
        case network_random_cuts: return value % 8 == 0 ? (value >> 8) % 3000 : (value >> 8) % 40;
        case network_bursts: return value % 32;
        case network_long_packets: return value % 16 == 0 ? 3 << 20 : 65528 + (value >> 8) % 100000;
    }
}

static size_t stream_size(network_delivery delivery, bool is_of_websocket) {
    switch (delivery) {
        case network_single_bytes: return 8 << 10;
        case network_random_cuts: return 1 << 20;
        // There are servers of WebSockets that take a hundred times as long for a message as others for a packet.
        case network_bursts: return is_of_websocket ? 1 << 20 : 4 << 20;
        case network_long_packets: return 12 << 20;
    }
}

// The bytes of the next call.
static size_t piece_size(network_delivery delivery, uint64_t *random) {
    uint64_t value = next_random(random);
    switch (delivery) {
        case network_single_bytes: return 1;
        case network_random_cuts: return value % 8 == 0 ? 1 + (value >> 8) % 20000 : 1 + (value >> 8) % 60;
        case network_bursts: return burst_byte_count;
        case network_long_packets: return value % 4 == 0 ? 1 + (value >> 8) % 10 : 1 + (value >> 8) % 200000;
    }
}

static void make_stream(connection *self, network_delivery delivery) {
    exchange *exchange = &self->exchange;
    exchange->is_of_websocket = self->channel.is_of_websocket;
    while (exchange->requests.count < stream_size(delivery, exchange->is_of_websocket)) {
        // The first fields of the messages have five bytes.
        size_t payload_byte_count = 5 + payload_size(delivery, &self->random);
        // Any ID but the two that are not echoed.
        uint16_t id = (uint16_t)(next_random(&self->random) % network_counted_id);
        exchange_add(exchange, id, payload_byte_count, &self->random);
    }
    self->echoed_byte_count = exchange_replies(exchange)->count;
    exchange_add_end(exchange);
}

static bool send_piece(connection *self, network_delivery delivery, int poller, network_failure *failure) {
    const buffer *requests = &self->exchange.requests;
    size_t left = requests->count - self->sent, count = piece_size(delivery, &self->random);
    ssize_t sent = channel_send(&self->channel, requests->bytes + self->sent, count < left ? count : left);
    if (sent < 0) return errno == EAGAIN || fail(failure, "sending failed: %s", channel_error(&self->channel));
    self->sent += (size_t)sent;
    if (self->sent < requests->count) return true;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = self};
    epoll_ctl(poller, EPOLL_CTL_MOD, self->channel.socket, &event);
    return true;
}

static bool receive_once(connection *self, uint8_t *input, network_failure *failure) {
    const buffer *replies = exchange_replies(&self->exchange);
    ssize_t count = channel_receive(&self->channel, input, read_byte_count);
    if (count < 0) return errno == EAGAIN || fail(failure, "receiving failed: %s", channel_error(&self->channel));
    if (count == 0) {
        self->has_ended = true;
        return self->received == replies->count ||
            fail(failure, "the stream ended after %zu bytes of %zu", self->received, replies->count);
    }
    // A message comes back without its key, so that there are never more bytes here either.
    size_t expected = self->sent < replies->count ? self->sent : replies->count;
    if (self->received + (size_t)count > expected) return fail(failure, "more came back than was sent");
    for (ssize_t at = 0; at < count; at += 1) {
        if (input[at] != replies->bytes[self->received + (size_t)at]) {
            return fail(failure, "byte %zu came back wrong", self->received + (size_t)at);
        }
    }
    self->received += (size_t)count;
    return self->received != self->echoed_byte_count || channel_end(&self->channel, failure);
}

static bool receive(connection *self, uint8_t *input, network_failure *failure) {
    do {
        if (!receive_once(self, input, failure)) return false;
    } while (self->channel.may_have_more);
    return true;
}

static bool run(int poller, network_delivery delivery, uint8_t *input, network_failure *failure) {
    struct epoll_event events[connection_count];
    for (int open = connection_count; open > 0;) {
        int ready = epoll_wait(poller, events, connection_count, stall_milliseconds);
        if (ready == 0) return fail(failure, "the server is silent, with replies or the end of its stream missing");
        for (int index = 0; index < ready; index += 1) {
            connection *connection = events[index].data.ptr;
            if (events[index].events & EPOLLOUT && !send_piece(connection, delivery, poller, failure)) return false;
            if (events[index].events & ~(uint32_t)EPOLLOUT && !receive(connection, input, failure)) return false;
            if (!connection->has_ended) continue;
            epoll_ctl(poller, EPOLL_CTL_DEL, connection->channel.socket, NULL);
            open -= 1;
        }
    }
    return true;
}

network_figures network_deliver(const network_server *server, network_delivery delivery, uint64_t seed) {
    network_figures figures = {0};
    connection connections[connection_count] = {0};
    int poller = epoll_create1(EPOLL_CLOEXEC), count = 0;
    uint8_t *input = malloc(read_byte_count);
    if (input == NULL) abort();
    while (count < connection_count) {
        connection *connection = &connections[count];
        if (!channel_open(&connection->channel, server, &figures.failure)) break;
        count += 1;
        channel_set_nonblocking(&connection->channel);
        connection->random = seed + (uint64_t)count;
        make_stream(connection, delivery);
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = connection};
        epoll_ctl(poller, EPOLL_CTL_ADD, connection->channel.socket, &event);
    }
    if (count == connection_count) run(poller, delivery, input, &figures.failure);
    while (count > 0) {
        count -= 1;
        channel_close(&connections[count].channel);
        exchange_free(&connections[count].exchange);
    }
    free(input);
    close(poller);
    return figures;
}
