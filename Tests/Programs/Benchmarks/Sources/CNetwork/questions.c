// SPDX-License-Identifier: Apache-2.0
//
// Clients of a gateway: they ask questions, and a backend answers.
#define _GNU_SOURCE
#include "bytes.h"
#include "channel.h"
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const char text[] = "hello gamers";

enum {
    text_byte_count = sizeof text - 1,
    question_byte_count = header_byte_count + 5 + 2 + text_byte_count,
    answer_byte_count = header_byte_count + 12 + 2 + text_byte_count,
    // A client has at most so many questions without an answer.
    most_in_flight = 256,
    read_byte_count = 16 << 10,
    events_per_wait = 256,
    most_latencies = 1 << 22,
};

// What a question wants, in the place of a scene.
enum { ask_for_answer = 1, ask_to_join = 4, ask_to_publish = 5 };

// What an answer is, in the place of a result.
enum { is_answer = 1, is_published = 9 };

typedef struct {
    channel channel;
    uint32_t asked, answered;
    // When each question without an answer was to be asked.
    uint64_t times[most_in_flight];
    // The start of an answer whose rest has not arrived.
    uint8_t partial[answer_byte_count];
    size_t partial_byte_count;
} client;

typedef struct {
    client *clients;
    int count, open, poller;
    // From a question to its answer, in nanoseconds, of those that were answered since `measures`.
    uint32_t *latencies;
    size_t latency_count;
    bool measures;
    // Whether each answer leads to the next question.
    bool asks_again;
    uint64_t published;
    network_failure *failure;
} crowd;

static void set_question(uint8_t *packet, uint8_t wish, uint32_t line) {
    set_header(packet, question_byte_count, 20001);
    packet[6] = wish;
    line = htonl(line);
    memcpy(packet + 7, &line, sizeof line);
    packet[11] = 0;
    packet[12] = text_byte_count;
    memcpy(packet + 13, text, text_byte_count);
}

// Asks several questions, which were to be asked at `time`.
static bool ask(crowd *self, client *client, int count, uint64_t time) {
    uint8_t packets[most_in_flight * question_byte_count];
    if (client->asked - client->answered + (uint32_t)count > most_in_flight) {
        return fail(self->failure, "%d questions of a client have no answer", most_in_flight);
    }
    for (int index = 0; index < count; index += 1) {
        client->times[client->asked % most_in_flight] = time;
        set_question(packets + index * question_byte_count, ask_for_answer, client->asked++);
    }
    return channel_send_all(&client->channel, packets, (size_t)count * question_byte_count, self->failure);
}

static bool wish(crowd *self, client *client, uint8_t wish, uint32_t line) {
    uint8_t packet[question_byte_count];
    set_question(packet, wish, line);
    return channel_send_all(&client->channel, packet, sizeof packet, self->failure);
}

// Takes one answer; false where it is none, or not the next one.
static bool take(crowd *self, client *client, const uint8_t *packet, uint64_t now) {
    if (length_at(packet) != answer_byte_count || id_at(packet) != 20001 ||
        memcmp(packet + answer_byte_count - text_byte_count, text, text_byte_count) != 0) {
        return fail(self->failure, "a client gets a wrong packet");
    }
    if (packet[6] == is_published) {
        self->published += 1;
        return true;
    }
    uint32_t line;
    memcpy(&line, packet + 7, sizeof line);
    if (packet[6] != is_answer || ntohl(line) != client->answered) {
        return fail(self->failure, "a client gets answer %u, and not %u", ntohl(line), client->answered);
    }
    uint64_t latency = now - client->times[client->answered++ % most_in_flight];
    if (self->measures && self->latency_count < most_latencies) {
        self->latencies[self->latency_count++] = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
    }
    return true;
}

static bool receive(crowd *self, client *client) {
    uint8_t bytes[answer_byte_count + read_byte_count];
    memcpy(bytes, client->partial, client->partial_byte_count);
    ssize_t count = channel_receive(&client->channel, bytes + client->partial_byte_count, read_byte_count);
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) return fail(self->failure, "the connection ended");
    uint64_t now = nanoseconds_now();
    size_t end = client->partial_byte_count + (size_t)count, start = 0;
    uint32_t before = client->answered;
    for (; end - start >= answer_byte_count; start += answer_byte_count) {
        if (!take(self, client, bytes + start, now)) return false;
    }
    client->partial_byte_count = end - start;
    memcpy(client->partial, bytes + start, end - start);
    int answers = (int)(client->answered - before);
    return !self->asks_again || answers == 0 || ask(self, client, answers, now);
}

// Waits for what arrives. Sets `ticked` if the timer has fired, which is the client without a number.
static bool turn(crowd *self, bool *ticked) {
    struct epoll_event events[events_per_wait];
    int ready = epoll_wait(self->poller, events, events_per_wait, stall_milliseconds);
    if (ready <= 0) return fail(self->failure, "no answer comes");
    for (int index = 0; index < ready; index += 1) {
        if (events[index].data.u32 == UINT32_MAX) {
            *ticked = true;
        } else if (!receive(self, &self->clients[events[index].data.u32])) {
            return false;
        }
    }
    return true;
}

// Waits until each client has all its answers.
static bool settle(crowd *self) {
    bool ticked = false;
    for (int index = 0; index < self->count;) {
        client *client = &self->clients[index];
        if (client->asked == client->answered) {
            index += 1;
        } else if (!turn(self, &ticked)) {
            return false;
        }
    }
    return true;
}

static bool open_all(crowd *self, const network_server *server) {
    for (; self->open < self->count; self->open += 1) {
        client *client = &self->clients[self->open];
        if (!channel_open(&client->channel, server, self->failure)) return false;
        channel_set_nonblocking(&client->channel);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)self->open};
        epoll_ctl(self->poller, EPOLL_CTL_ADD, client->channel.socket, &event);
    }
    // Each has an owner when it has an answer.
    for (int index = 0; index < self->count; index += 1) {
        if (!ask(self, &self->clients[index], 1, nanoseconds_now())) return false;
    }
    return settle(self);
}

static crowd crowd_of(int count, network_failure *failure) {
    crowd self = {
        .clients = calloc((size_t)count, sizeof(client)),
        .count = count,
        .poller = epoll_create1(EPOLL_CLOEXEC),
        .latencies = malloc(most_latencies * sizeof(uint32_t)),
        .failure = failure,
    };
    if (self.clients == NULL || self.latencies == NULL) abort();
    return self;
}

static void crowd_free(crowd *self) {
    while (self->open > 0) channel_reset(&self->clients[self->open -= 1].channel);
    close(self->poller);
    free(self->clients);
    free(self->latencies);
}

// --- Answers

static int compare(const void *first, const void *second) {
    uint32_t one = *(const uint32_t *)first, other = *(const uint32_t *)second;
    return one < other ? -1 : one > other;
}

static void add_latencies(crowd *self, network_figures *figures) {
    figures->packets = self->latency_count;
    if (self->latency_count == 0) return;
    qsort(self->latencies, self->latency_count, sizeof(uint32_t), compare);
    figures->median_latency = self->latencies[self->latency_count / 2];
    figures->p99_latency = self->latencies[self->latency_count * 99 / 100];
}

// Asks until the time is over, at a rate or after each answer.
static bool run(crowd *self, int timer, int rate, uint64_t end) {
    uint64_t interval = rate > 0 ? 1000000000 / (uint64_t)rate : 0, due = nanoseconds_now(), next = 0;
    bool ticked = rate > 0;
    while (nanoseconds_now() < end) {
        if (ticked) {
            for (uint64_t now = nanoseconds_now(); due <= now; due += interval) {
                if (!ask(self, &self->clients[next++ % (uint64_t)self->count], 1, due)) return false;
            }
            struct itimerspec at = {
                .it_value = {.tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000)}};
            timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
            ticked = false;
        }
        if (!turn(self, &ticked)) return false;
    }
    return true;
}

network_figures network_ask(const network_server *server, int connections, int in_flight, int rate, double seconds) {
    network_figures figures = {0};
    crowd self = crowd_of(connections, &figures.failure);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    // A level would wake the load for ever: the timer is set anew, which takes its event back.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = UINT32_MAX};
    epoll_ctl(self.poller, EPOLL_CTL_ADD, timer, &event);
    uint64_t length = (uint64_t)(seconds * 1e9);
    bool is_right = open_all(&self, server);
    for (int index = 0; is_right && rate == 0 && index < connections; index += 1) {
        is_right = ask(&self, &self.clients[index], in_flight, nanoseconds_now());
    }
    self.asks_again = rate == 0;
    if (is_right && run(&self, timer, rate, nanoseconds_now() + length / 8)) {
        self.measures = true;
        moment start = moment_now(server);
        is_right = run(&self, timer, rate, start.time + length);
        add_cost(&figures, server, start);
        self.measures = self.asks_again = false;
        if (is_right && settle(&self)) add_latencies(&self, &figures);
    }
    close(timer);
    crowd_free(&self);
    return figures;
}

// --- Groups

// Lets packets be published, and waits until all clients have them.
static bool publish(crowd *self, int count) {
    bool ticked = false;
    self->published = 0;
    if (!wish(self, &self->clients[0], ask_to_publish, (uint32_t)count)) return false;
    while (self->published < (uint64_t)count * (uint64_t)self->count) {
        if (!turn(self, &ticked)) return false;
    }
    return true;
}

static bool join_all(crowd *self) {
    for (int index = 0; index < self->count; index += 1) {
        client *client = &self->clients[index];
        client->times[client->asked % most_in_flight] = nanoseconds_now();
        if (!wish(self, client, ask_to_join, client->asked++)) return false;
    }
    return settle(self);
}

network_figures network_publish(const network_server *server, int connections, int together, double seconds) {
    network_figures figures = {0};
    crowd self = crowd_of(connections, &figures.failure);
    uint64_t length = (uint64_t)(seconds * 1e9);
    bool is_right = open_all(&self, server) && join_all(&self);
    for (uint64_t end = nanoseconds_now() + length / 8; is_right && nanoseconds_now() < end;) {
        is_right = publish(&self, together);
    }
    moment start = moment_now(server);
    while (is_right && nanoseconds_now() - start.time < length) {
        is_right = publish(&self, together);
        figures.packets += (uint64_t)together * (uint64_t)connections;
    }
    add_cost(&figures, server, start);
    crowd_free(&self);
    return figures;
}

// --- Memory

network_figures network_keep(const network_server *server, int connections) {
    network_figures figures = {0};
    // The first ones let the server take what it has only once.
    int first_count = connections / 10 + 1;
    crowd first = crowd_of(first_count, &figures.failure), rest = crowd_of(connections, &figures.failure);
    if (open_all(&first, server)) {
        uint64_t before = resident_bytes(server->pid);
        if (open_all(&rest, server)) {
            figures.packets = (uint64_t)connections;
            figures.bytes_per_connection =
                ((double)resident_bytes(server->pid) - (double)before) / (double)connections;
        }
    }
    crowd_free(&first);
    crowd_free(&rest);
    return figures;
}
