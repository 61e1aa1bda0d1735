// SPDX-License-Identifier: Apache-2.0
//
// All connections send the same stream of packets, over and over, from different places on. What has to come back for it
// is another stream, which is compared in one piece however many packets it is, and costs next to nothing.
#define _GNU_SOURCE
#include "bytes.h"
#include "channel.h"
#include "exchange.h"
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { stream_byte_count = 8191 * 23, read_byte_count = 256 * 1024, events_a_wait = 256, latency_room = 1 << 22 };

typedef struct {
    channel channel;
    bool waits_to_send;
    size_t start;                       // the packet with which it begins
    uint64_t allowed, sent, received;   // bytes since
    uint64_t sent_at;
} connection;

typedef struct {
    int poller, in_flight, refill;
    // The stream has more packets than are ever in flight: none can be taken for another one that is.
    exchange exchange;
    size_t packet_count;
    // Of a packet, and of what comes back for it.
    size_t request_byte_count, reply_byte_count;
    uint8_t *input;
    bool is_ending;
    uint64_t received;
    uint32_t *latencies;
    size_t latency_count;
    network_failure *failure;
} load;

static void wait_for(const load *self, connection *connection, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    epoll_ctl(self->poller, operation, connection->channel.socket, &event);
}

static bool send_allowed(load *self, connection *connection) {
    const buffer *requests = &self->exchange.requests;
    while (connection->sent < connection->allowed) {
        size_t offset = (connection->start * self->request_byte_count + connection->sent) % requests->count;
        size_t count = connection->allowed - connection->sent;
        if (count > requests->count - offset) count = requests->count - offset;
        ssize_t sent = channel_send(&connection->channel, requests->bytes + offset, count);
        if (sent < 0 && errno != EAGAIN) {
            return fail(self->failure, "sending failed: %s", channel_error(&connection->channel));
        }
        if (sent < 0) break;
        connection->sent += (size_t)sent;
    }
    bool is_full = connection->sent < connection->allowed;
    if (is_full != connection->waits_to_send) {
        connection->waits_to_send = is_full;
        wait_for(self, connection, EPOLL_CTL_MOD, is_full ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
    return true;
}

// Sends again as many as have come back, once they are worth a call.
static bool refill(load *self, connection *connection) {
    uint64_t whole = connection->received / self->reply_byte_count;
    uint64_t on_their_way = connection->allowed / self->request_byte_count - whole;
    if (self->is_ending || on_their_way + (uint64_t)self->refill > (uint64_t)self->in_flight) return true;
    connection->allowed = (whole + (uint64_t)self->in_flight) * self->request_byte_count;
    if (self->latencies != NULL) connection->sent_at = nanoseconds_now();
    return send_allowed(self, connection);
}

static void note_latency(load *self, const connection *connection) {
    if (connection->received % self->reply_byte_count != 0 || self->latency_count == latency_room) return;
    self->latencies[self->latency_count++] = (uint32_t)(nanoseconds_now() - connection->sent_at);
}

static bool verify(load *self, connection *connection, size_t count) {
    const buffer *replies = exchange_replies(&self->exchange);
    size_t offset = (connection->start * self->reply_byte_count + connection->received) % replies->count, done = 0;
    // Those that have been sent in part count: a server may answer as it reads.
    uint64_t begun = (connection->sent + self->request_byte_count - 1) / self->request_byte_count;
    if (connection->received + count > begun * self->reply_byte_count) {
        return fail(self->failure, "more came back than was sent");
    }
    while (done < count) {
        size_t part = count - done;
        if (part > replies->count - offset) part = replies->count - offset;
        if (memcmp(self->input + done, replies->bytes + offset, part) != 0) {
            while (self->input[done] == replies->bytes[offset]) done += 1, offset += 1;
            return fail(
                self->failure, "byte %llu of a connection came back wrong",
                (unsigned long long)(connection->received + done));
        }
        done += part;
        offset = 0;
    }
    connection->received += count;
    self->received += count;
    return true;
}

// Whether all that was sent has come back.
static bool is_answered(const load *self, const connection *connection) {
    return connection->received / self->reply_byte_count * self->request_byte_count >= connection->sent;
}

static bool receive(load *self, connection *connection) {
    channel *channel = &connection->channel;
    do {
        ssize_t count = channel_receive(channel, self->input, read_byte_count);
        if (count < 0 && errno == EAGAIN) return true;
        if (count <= 0) {
            const char *why = count == 0 ? "end of stream" : channel_error(channel);
            return fail(self->failure, "the connection ended: %s", why);
        }
        if (!verify(self, connection, (size_t)count)) return false;
        if (self->latencies != NULL) note_latency(self, connection);
        if (!refill(self, connection)) return false;
    } while (channel->may_have_more);
    return true;
}

// Deals with what happens until a time, or until all replies are there.
static bool run(load *self, uint64_t until, const connection *connections, int count) {
    struct epoll_event events[events_a_wait];
    while (nanoseconds_now() < until) {
        int ready = epoll_wait(self->poller, events, events_a_wait, stall_milliseconds);
        if (ready == 0) return fail(self->failure, "the server is silent, with packets to answer");
        for (int index = 0; index < ready; index += 1) {
            connection *connection = events[index].data.ptr;
            if (events[index].events & EPOLLOUT && !send_allowed(self, connection)) return false;
            if (events[index].events & ~(uint32_t)EPOLLOUT && !receive(self, connection)) return false;
        }
        if (!self->is_ending) continue;
        int missing = 0;
        for (int index = 0; index < count; index += 1) missing += !is_answered(self, &connections[index]);
        if (missing == 0) return true;
    }
    return !self->is_ending || fail(self->failure, "replies are missing");
}

static bool begin(load *self, const network_server *server, connection *connections, int count) {
    for (int index = 0; index < count; index += 1) {
        connection *connection = &connections[index];
        if (!channel_open(&connection->channel, server, self->failure)) return false;
        channel_set_nonblocking(&connection->channel);
        connection->start = (size_t)index * 61 % self->packet_count;
        wait_for(self, connection, EPOLL_CTL_ADD, EPOLLIN);
    }
    for (int index = 0; index < count; index += 1) {
        if (!refill(self, &connections[index])) return false;
    }
    return true;
}

static int by_value(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void measure(
    load *self, const network_server *server, connection *connections, int count, double seconds,
    network_figures *figures) {
    uint64_t length = (uint64_t)(seconds * 1e9);
    if (!begin(self, server, connections, count)) return;
    if (!run(self, nanoseconds_now() + length / 8, connections, count)) return;
    self->latency_count = 0;
    uint64_t received = self->received;
    moment start = moment_now(server);
    if (!run(self, start.time + length, connections, count)) return;
    add_cost(figures, server, start);
    figures->packets = (self->received - received) / self->reply_byte_count;
    if (self->latency_count > 0) {
        qsort(self->latencies, self->latency_count, sizeof *self->latencies, by_value);
        figures->median_latency = self->latencies[self->latency_count / 2];
        figures->p99_latency = self->latencies[self->latency_count * 99 / 100];
    }
    self->is_ending = true;
    run(self, nanoseconds_now() + (uint64_t)stall_milliseconds * 1000000, connections, count);
}

network_figures network_echo(
    const network_server *server, int count, int in_flight, size_t payload_byte_count, double seconds) {
    network_figures figures = {0};
    size_t packet_byte_count = header_byte_count + payload_byte_count, packets = stream_byte_count / packet_byte_count;
    if (packets < 2 * (size_t)in_flight + 1) packets = 2 * (size_t)in_flight + 1;
    load self = {
        .poller = epoll_create1(EPOLL_CLOEXEC),
        .in_flight = in_flight,
        .refill = in_flight < 4 ? 1 : in_flight / 4,
        .exchange = {.is_of_websocket = server->uses_websocket},
        .packet_count = packets,
        .input = malloc(read_byte_count),
        .latencies = in_flight == 1 ? malloc(latency_room * sizeof(uint32_t)) : NULL,
        .failure = &figures.failure,
    };
    connection *connections = calloc((size_t)count, sizeof *connections);
    if (self.input == NULL || connections == NULL) abort();
    uint64_t random = 1;
    for (size_t added = 0; added < packets; added += 1) {
        exchange_add(&self.exchange, echoed_id, payload_byte_count, &random);
    }
    self.request_byte_count = self.exchange.requests.count / packets;
    self.reply_byte_count = exchange_replies(&self.exchange)->count / packets;
    measure(&self, server, connections, count, seconds, &figures);
    for (int index = 0; index < count; index += 1) {
        if (connections[index].channel.socket > 0) channel_close(&connections[index].channel);
    }
    close(self.poller);
    free(connections);
    free(self.latencies);
    free(self.input);
    exchange_free(&self.exchange);
    return figures;
}
