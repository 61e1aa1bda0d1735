// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "channel.h"
#include "bytes.h"
#include "load.h"
#include "websocket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { read_ahead_byte_count = 128 * 1024 };

// Each thread of a load continues its own sessions, and has a context of its own.
static _Thread_local bool resumes;
static _Thread_local SSL_SESSION *last_session;

static int open_socket(const network_server *server, network_failure *failure) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval stall = {.tv_sec = stall_milliseconds / 1000};
    int one = 1, connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connected < 0 || connect(connected, (struct sockaddr *)&address, sizeof address) != 0) {
        fail(failure, "cannot connect: %s", strerror(errno));
        if (connected >= 0) close(connected);
        return -1;
    }
    setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(connected, SOL_SOCKET, SO_RCVTIMEO, &stall, sizeof stall);
    setsockopt(connected, SOL_SOCKET, SO_SNDTIMEO, &stall, sizeof stall);
    return connected;
}

// --- TLS

static void replace_session(SSL_SESSION *session) {
    if (last_session != NULL) openssl.SSL_SESSION_free(last_session);
    last_session = session;
}

static int keep_session(SSL *tls, SSL_SESSION *session) {
    (void)tls;
    replace_session(session);
    return 1;
}

void channels_set_resuming(bool are_resuming) {
    replace_session(NULL);
    resumes = are_resuming;
}

bool channel_is_resumed(const channel *self) { return openssl.SSL_session_reused(self->tls) == 1; }

// It trusts whom it gets: what a client verifies is not the server's cost.
static SSL_CTX *client_context(network_failure *failure) {
    static _Thread_local SSL_CTX *context;
    if (context != NULL || !openssl_load(failure)) return context;
    context = openssl_context(openssl.TLS_client_method(), failure);
    if (context == NULL) return NULL;
    // OpenSSL's own writing to sockets does not suppress it.
    signal(SIGPIPE, SIG_IGN);
    openssl.SSL_CTX_ctrl(context, openssl_set_read_ahead, 1, NULL);
    openssl.SSL_CTX_set_default_read_buffer_len(context, read_ahead_byte_count);
    openssl.SSL_CTX_ctrl(context, openssl_set_session_cache_mode, openssl_own_session_cache, NULL);
    openssl.SSL_CTX_sess_set_new_cb(context, keep_session);
    return context;
}

static bool add_tls(channel *self, network_failure *failure) {
    SSL_CTX *context = client_context(failure);
    if (context == NULL) return false;
    self->tls = openssl.SSL_new(context);
    if (self->tls == NULL || openssl.SSL_set_fd(self->tls, self->socket) != 1) {
        return fail(failure, "no TLS connection: %s", openssl_reason());
    }
    openssl.SSL_set_connect_state(self->tls);
    if (resumes && last_session != NULL) openssl.SSL_set_session(self->tls, last_session);
    return true;
}

// What a call of OpenSSL's that returned `status` would have returned of a socket.
static ssize_t outcome(const channel *self, int status) {
    switch (openssl.SSL_get_error(self->tls, status)) {
        case openssl_wants_reading:
        case openssl_wants_writing: errno = EAGAIN; return -1;
        case openssl_has_ended: return 0;
        case openssl_has_failed_in_system:
            if (errno == EAGAIN) errno = EPROTO;
            return -1;
        default: errno = EPROTO; return -1;
    }
}

static int clamped(size_t count) { return count < INT_MAX ? (int)count : INT_MAX; }

// OpenSSL returns one record at most.
static ssize_t receive_records(channel *self, uint8_t *bytes, size_t room) {
    size_t count = 0;
    self->may_have_more = false;
    while (count < room) {
        openssl.ERR_clear_error();
        int status = openssl.SSL_read(self->tls, bytes + count, clamped(room - count));
        if (status <= 0 && count == 0) return outcome(self, status);
        if (status <= 0) break;
        count += (size_t)status;
    }
    self->may_have_more = count == room;
    return (ssize_t)count;
}

// --- All

bool channel_connect(channel *self, const network_server *server, network_failure *failure) {
    *self = (channel){.socket = open_socket(server, failure)};
    if (self->socket < 0) return false;
    if (!server->uses_tls || add_tls(self, failure)) return true;
    channel_close(self);
    return false;
}

bool channel_open(channel *self, const network_server *server, network_failure *failure) {
    if (!channel_connect(self, server, failure)) return false;
    if (self->tls != NULL && openssl.SSL_do_handshake(self->tls) != 1) {
        fail(failure, "no handshake: %s", openssl_reason());
    } else if (!server->uses_websocket || websocket_ask(self, server->port, failure)) {
        self->is_of_websocket = server->uses_websocket;
        return true;
    }
    channel_close(self);
    return false;
}

void channel_set_nonblocking(channel *self) {
    fcntl(self->socket, F_SETFL, fcntl(self->socket, F_GETFL) | O_NONBLOCK);
}

ssize_t channel_send(channel *self, const uint8_t *bytes, size_t count) {
    if (self->tls == NULL) return send(self->socket, bytes, count, MSG_NOSIGNAL);
    openssl.ERR_clear_error();
    int given = clamped(count);
    if (given < self->refused_count) given = self->refused_count;
    int status = openssl.SSL_write(self->tls, bytes, given);
    self->refused_count = status > 0 ? 0 : given;
    // A server that has ended takes nothing more.
    if (status <= 0 && outcome(self, status) == 0) errno = EPIPE;
    return status > 0 ? status : -1;
}

ssize_t channel_receive(channel *self, uint8_t *bytes, size_t room) {
    return self->tls == NULL ? recv(self->socket, bytes, room, 0) : receive_records(self, bytes, room);
}

bool channel_send_all(channel *self, const uint8_t *bytes, size_t count, network_failure *failure) {
    while (count > 0) {
        ssize_t sent = channel_send(self, bytes, count);
        if (sent < 0) return fail(failure, "sending failed: %s", channel_error(self));
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool channel_receive_all(channel *self, uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t received = channel_receive(self, bytes, count);
        if (received <= 0) return false;
        bytes += received;
        count -= (size_t)received;
    }
    return true;
}

bool channel_use_once(channel *self, network_failure *failure) {
    uint8_t request[once_byte_count], reply[once_byte_count];
    fill_packets(request, 1, sizeof request - header_byte_count, echoed_id);
    return (channel_send_all(self, request, sizeof request, failure) &&
            channel_receive_all(self, reply, sizeof reply) && memcmp(request, reply, sizeof reply) == 0) ||
        fail(failure, "a connection does not echo its packet");
}

bool channel_end(channel *self, network_failure *failure) {
    // The server is the one to end the connection (RFC 6455 §7.1.1).
    if (self->is_of_websocket) return websocket_end(self, failure);
    if (self->tls != NULL) openssl.SSL_shutdown(self->tls);
    shutdown(self->socket, SHUT_WR);
    return true;
}

void channel_reset(channel *self) {
    struct linger reset = {.l_onoff = 1};
    setsockopt(self->socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    channel_close(self);
}

void channel_close(channel *self) {
    if (self->tls != NULL) {
        // Otherwise OpenSSL gives up the session of a connection whose end was not told.
        openssl.SSL_set_shutdown(self->tls, openssl_ended_both_ways);
        openssl.SSL_free(self->tls);
    }
    if (self->socket >= 0) close(self->socket);
    *self = (channel){.socket = -1};
}

const char *channel_error(const channel *self) {
    return self->tls != NULL && errno == EPROTO ? openssl_reason() : strerror(errno);
}
