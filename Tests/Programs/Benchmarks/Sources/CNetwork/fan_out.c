// SPDX-License-Identifier: Apache-2.0
//
// One packet to many connections: the limit, and the load.
#define _GNU_SOURCE
#include "bytes.h"
#include "channel.h"
#include "listening.h"
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { events_per_wait = 512, room_byte_count = 64 << 10 };

// --- The limit

typedef struct {
    int *sockets;
    int count, capacity;
} members;

static void add_member(members *self, int socket) {
    if (self->count == self->capacity) {
        self->capacity = self->capacity == 0 ? 1024 : 2 * self->capacity;
        self->sockets = realloc(self->sockets, (size_t)self->capacity * sizeof *self->sockets);
        if (self->sockets == NULL) abort();
    }
    self->sockets[self->count++] = socket;
}

static void remove_member(members *self, int socket) {
    for (int index = 0; index < self->count; index += 1) {
        if (self->sockets[index] == socket) {
            self->sockets[index] = self->sockets[self->count -= 1];
            break;
        }
    }
    close(socket);
}

// Writes what a member has sent to all members. All of the load's packets fit one read and every socket's buffer.
static void fan_out(members *self, int sender) {
    uint8_t bytes[room_byte_count];
    ssize_t count = recv(sender, bytes, sizeof bytes, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return remove_member(self, sender);
    if (count < header_byte_count || length_at(bytes) != (uint32_t)count) abort();
    for (int index = 0; index < self->count; index += 1) {
        if (send(self->sockets[index], bytes, (size_t)count, MSG_NOSIGNAL) != count) abort();
    }
}

static void end_at_once(int signal) {
    (void)signal;
    _exit(0);
}

int network_serve_fan_out(void) {
    signal(SIGTERM, end_at_once);
    members members = {0};
    int poller = epoll_create1(EPOLL_CLOEXEC), listener = listen_on_any_port(), one = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[events_per_wait];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(poller, events, events_per_wait, -1), accepted;
        for (int index = 0; index < count; index += 1) {
            if (events[index].data.fd != listener) {
                fan_out(&members, events[index].data.fd);
                continue;
            }
            while ((accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
                setsockopt(accepted, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof one);
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = accepted};
                epoll_ctl(poller, EPOLL_CTL_ADD, accepted, &event);
                add_member(&members, accepted);
            }
        }
    }
}

// --- The load

typedef struct {
    channel *members;
    size_t *received;   // bytes of the current packet, of each member
    int count, poller;
    uint8_t *packet;
    size_t packet_byte_count;
    network_failure *failure;
} crowd;

// Takes what has arrived at a member. Adds to `complete` if it has the whole packet now.
static bool receive(crowd *self, int index, int *complete) {
    uint8_t bytes[room_byte_count];
    ssize_t count = channel_receive(&self->members[index], bytes, sizeof bytes);
    if (count < 0 && errno == EAGAIN) return true;
    size_t start = self->received[index], left = self->packet_byte_count - start;
    if (count <= 0) return fail(self->failure, "the connection ended");
    if ((size_t)count > left || memcmp(self->packet + start, bytes, (size_t)count) != 0) {
        return fail(self->failure, "a member gets a wrong byte, or a packet too many");
    }
    self->received[index] += (size_t)count;
    *complete += self->received[index] == self->packet_byte_count;
    return true;
}

// Sends one packet, and waits until all members have it.
static bool send_once(crowd *self, uint64_t number) {
    struct epoll_event events[events_per_wait];
    set_number(self->packet + header_byte_count, number);
    memset(self->received, 0, (size_t)self->count * sizeof *self->received);
    if (!channel_send_all(&self->members[0], self->packet, self->packet_byte_count, self->failure)) return false;
    for (int complete = 0; complete < self->count;) {
        int ready = epoll_wait(self->poller, events, events_per_wait, stall_milliseconds);
        if (ready <= 0) return fail(self->failure, "only %d of %d members get a packet", complete, self->count);
        for (int index = 0; index < ready; index += 1) {
            if (!receive(self, (int)events[index].data.u32, &complete)) return false;
        }
    }
    return true;
}

static bool connect_all(crowd *self, const network_server *server, int *open) {
    while (*open < self->count) {
        if (!channel_open(&self->members[*open], server, self->failure)) return false;
        channel_set_nonblocking(&self->members[*open]);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)*open};
        epoll_ctl(self->poller, EPOLL_CTL_ADD, self->members[*open].socket, &event);
        *open += 1;
    }
    // The server has accepted all connections when it has used no processor time between two looks.
    for (uint64_t before = 0; before != processor_nanoseconds(server->pid);) {
        before = processor_nanoseconds(server->pid);
        usleep(200000);
    }
    return true;
}

static void measure(crowd *self, const network_server *server, double seconds, network_figures *figures) {
    uint64_t number = 0, length = (uint64_t)(seconds * 1e9), end = nanoseconds_now() + length / 8;
    do {
        if (!send_once(self, number++)) return;
    } while (nanoseconds_now() < end);
    moment start = moment_now(server);
    uint64_t first = number;
    do {
        if (!send_once(self, number++)) return;
    } while (nanoseconds_now() - start.time < length);
    add_cost(figures, server, start);
    figures->packets = (number - first) * (uint64_t)self->count;
    figures->median_latency = figures->seconds * 1e9 / (double)(number - first);
}

network_figures network_fan_out(const network_server *server, int count, size_t packet_byte_count, double seconds) {
    network_figures figures = {0};
    crowd self = {
        .members = calloc((size_t)count, sizeof(channel)),
        .received = calloc((size_t)count, sizeof(size_t)),
        .count = count,
        .poller = epoll_create1(EPOLL_CLOEXEC),
        .packet = calloc(1, packet_byte_count),
        .packet_byte_count = packet_byte_count,
        .failure = &figures.failure,
    };
    if (self.members == NULL || self.received == NULL || self.packet == NULL) abort();
    fill_packets(self.packet, 1, packet_byte_count - header_byte_count, echoed_id);
    int open = 0;
    if (connect_all(&self, server, &open)) measure(&self, server, seconds, &figures);
    while (open > 0) channel_reset(&self.members[open -= 1]);
    close(self.poller);
    free(self.members);
    free(self.received);
    free(self.packet);
    return figures;
}
