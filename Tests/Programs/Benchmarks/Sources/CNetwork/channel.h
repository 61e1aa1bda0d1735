// SPDX-License-Identifier: Apache-2.0
//
// A connection of the load's, plain, with TLS or with a WebSocket, as the server has it; used like a socket.
#ifndef NETWORK_CHANNEL_H
#define NETWORK_CHANNEL_H

#include "openssl.h"

typedef struct {
    int socket;
    SSL *tls;   // NULL without
    bool is_of_websocket;
    // Whether there may be more to receive of which the system knows nothing.
    bool may_have_more;
    // How many bytes OpenSSL was given to send when it could not: it wants no fewer when it is asked again.
    int refused_count;
} channel;

// A connected channel that sends at once; false, and what is wrong. A handshake comes with the first bytes.
bool channel_connect(channel *self, const network_server *server, network_failure *failure);

// The same, after the handshakes.
bool channel_open(channel *self, const network_server *server, network_failure *failure);

void channel_set_nonblocking(channel *self);

// As send(2) and recv(2): -1 with EAGAIN in `errno` where it would block.
ssize_t channel_send(channel *self, const uint8_t *bytes, size_t count);
ssize_t channel_receive(channel *self, uint8_t *bytes, size_t room);

bool channel_send_all(channel *self, const uint8_t *bytes, size_t count, network_failure *failure);

// Fills `bytes`. False where that cannot be done.
bool channel_receive_all(channel *self, uint8_t *bytes, size_t count);

// Sends one packet and gets it back.
bool channel_use_once(channel *self, network_failure *failure);

// Tells the server that nothing more comes; false where a WebSocket cannot be ended.
bool channel_end(channel *self, network_failure *failure);

// Closes with a reset: thousands that are closed in a row would use up the ports otherwise.
void channel_reset(channel *self);

void channel_close(channel *self);

// What is wrong after a call that has returned -1.
const char *channel_error(const channel *self);

// Whether connections with TLS from now on continue the session of an earlier one; those there were are forgotten.
void channels_set_resuming(bool resumes);

// Whether this one does.
bool channel_is_resumed(const channel *self);

#endif
