// SPDX-License-Identifier: Apache-2.0
//
// New connections, one after another on each of several places at once, so that the server always has one to deal with.
#define _GNU_SOURCE
#include "bytes.h"
#include "channel.h"
#include "load.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { place_count = 16 };

typedef struct {
    channel channel;
    size_t sent, received;
    uint8_t reply[once_byte_count];
} place;

typedef struct {
    const network_server *server;
    int poller;
    bool resumes;
    uint8_t request[once_byte_count];
    place places[place_count];
    uint64_t done;
    uint64_t missed_count;
    network_failure *failure;
} load;

static bool connect_place(load *self, place *place) {
    memset(place, 0, sizeof *place);
    if (!channel_connect(&place->channel, self->server, self->failure)) return false;
    channel_set_nonblocking(&place->channel);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = place};
    return epoll_ctl(self->poller, EPOLL_CTL_ADD, place->channel.socket, &event) == 0 ||
        fail(self->failure, "epoll_ctl: %s", strerror(errno));
}

static bool finish(load *self, place *place) {
    if (memcmp(self->request, place->reply, once_byte_count) != 0) {
        return fail(self->failure, "a packet came back wrong");
    }
    bool is_resumed = channel_is_resumed(&place->channel);
    if (is_resumed && !self->resumes) return fail(self->failure, "a session was resumed");
    // On a crowded machine OpenSSL now and then begins anew, with each of the servers; that costs a load nothing.
    if (!is_resumed && self->resumes && ++self->missed_count > 1 + self->done / 100) {
        return fail(self->failure, "sessions were not resumed");
    }
    self->done += 1;
    channel_reset(&place->channel);
    return true;
}

// Goes on as far as it can without waiting; sending begins with the handshake. `is_done` tells when the place is free.
static bool go_on(load *self, place *place, bool *is_done) {
    channel *channel = &place->channel;
    *is_done = false;
    while (place->sent < once_byte_count) {
        ssize_t sent = channel_send(channel, self->request + place->sent, once_byte_count - place->sent);
        if (sent < 0) return errno == EAGAIN || fail(self->failure, "no handshake: %s", channel_error(channel));
        place->sent += (size_t)sent;
    }
    while (place->received < once_byte_count) {
        ssize_t count = channel_receive(channel, place->reply + place->received, once_byte_count - place->received);
        if (count < 0) return errno == EAGAIN || fail(self->failure, "receiving failed: %s", channel_error(channel));
        if (count == 0) return fail(self->failure, "the server has closed a connection");
        place->received += (size_t)count;
    }
    *is_done = true;
    return finish(self, place);
}

// Begins a connection. Nothing has come that would make the poller tell of it.
static bool begin(load *self, place *place) {
    bool is_done;
    return connect_place(self, place) && go_on(self, place, &is_done);
}

static bool run(load *self, uint64_t until) {
    struct epoll_event events[place_count];
    while (nanoseconds_now() < until) {
        int ready = epoll_wait(self->poller, events, place_count, stall_milliseconds);
        if (ready == 0) return fail(self->failure, "the server is silent, with handshakes to answer");
        for (int index = 0; index < ready; index += 1) {
            bool is_done;
            if (!go_on(self, events[index].data.ptr, &is_done)) return false;
            if (is_done && !begin(self, events[index].data.ptr)) return false;
        }
    }
    return true;
}

static void measure(load *self, double seconds, network_figures *figures) {
    uint64_t length = (uint64_t)(seconds * 1e9);
    channels_set_resuming(self->resumes);
    for (int index = 0; index < place_count; index += 1) self->places[index].channel.socket = -1;
    // One alone: the others may continue what it has agreed on.
    channel first;
    if (!channel_open(&first, self->server, self->failure)) return;
    bool is_right = channel_use_once(&first, self->failure);
    channel_reset(&first);
    if (!is_right) return;
    for (int index = 0; index < place_count; index += 1) {
        if (!begin(self, &self->places[index])) return;
    }
    if (!run(self, nanoseconds_now() + length / 8)) return;
    uint64_t done = self->done;
    moment start = moment_now(self->server);
    if (!run(self, start.time + length)) return;
    add_cost(figures, self->server, start);
    figures->packets = self->done - done;
}

network_figures network_handshakes(const network_server *server, bool resumes, double seconds) {
    network_figures figures = {0};
    load self = {
        .server = server,
        .poller = epoll_create1(EPOLL_CLOEXEC),
        .resumes = resumes,
        .failure = &figures.failure,
    };
    fill_packets(self.request, 1, once_byte_count - header_byte_count, echoed_id);
    measure(&self, seconds, &figures);
    for (int index = 0; index < place_count; index += 1) {
        if (self.places[index].channel.socket > 0) channel_reset(&self.places[index].channel);
    }
    close(self.poller);
    channels_set_resuming(false);
    return figures;
}
