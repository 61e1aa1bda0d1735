// SPDX-License-Identifier: Apache-2.0
//
// TLS for the limit: OpenSSL between buffers that all connections share.
#ifndef NETWORK_SEAL_H
#define NETWORK_SEAL_H

#include "buffer.h"
#include "openssl.h"

// Loads OpenSSL, a certificate and its key.
bool seal_set_up(const char *certificate, const char *key, network_failure *failure);

// A connection that waits for its handshake.
SSL *seal_accept(void);

// Puts what `count` bytes from the wire say after what is in `plain`, and what is to be sent for it after what is in
// `sealed`. False when the peer has ended, or nonsense has come.
bool seal_open(SSL *tls, const uint8_t *bytes, size_t count, buffer *plain, buffer *sealed);

// Puts what says `plain` on the wire after what is in `sealed`.
bool seal_close(SSL *tls, const buffer *plain, buffer *sealed);

// The same with the end of all.
void seal_end(SSL *tls, buffer *sealed);

#endif
