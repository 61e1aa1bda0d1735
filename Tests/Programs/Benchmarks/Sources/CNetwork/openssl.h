// SPDX-License-Identifier: Apache-2.0
//
// What of OpenSSL 3 the load and the limit need. It is loaded when TLS is wanted, so that building needs none of its
// headers and everything else goes on without it.
#ifndef NETWORK_OPENSSL_H
#define NETWORK_OPENSSL_H

#include "CNetwork.h"

typedef struct ssl_method_st SSL_METHOD;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
typedef struct ssl_session_st SSL_SESSION;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;

#define OPENSSL_FUNCTIONS(FUNCTION)                                                                                    \
    FUNCTION(const SSL_METHOD *, TLS_client_method, (void))                                                            \
    FUNCTION(const SSL_METHOD *, TLS_server_method, (void))                                                            \
    FUNCTION(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *))                                                             \
    FUNCTION(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *))                                                       \
    FUNCTION(int, SSL_CTX_set_ciphersuites, (SSL_CTX *, const char *))                                                 \
    FUNCTION(void, SSL_CTX_set_default_read_buffer_len, (SSL_CTX *, size_t))                                           \
    FUNCTION(void, SSL_CTX_sess_set_new_cb, (SSL_CTX *, int (*)(SSL *, SSL_SESSION *)))                                \
    FUNCTION(int, SSL_CTX_set_num_tickets, (SSL_CTX *, size_t))                                                        \
    FUNCTION(int, SSL_CTX_use_certificate_chain_file, (SSL_CTX *, const char *))                                       \
    FUNCTION(int, SSL_CTX_use_PrivateKey_file, (SSL_CTX *, const char *, int))                                         \
    FUNCTION(SSL *, SSL_new, (SSL_CTX *))                                                                              \
    FUNCTION(void, SSL_free, (SSL *))                                                                                  \
    FUNCTION(int, SSL_set_fd, (SSL *, int))                                                                            \
    FUNCTION(void, SSL_set_bio, (SSL *, BIO *, BIO *))                                                                 \
    FUNCTION(void, SSL_set_connect_state, (SSL *))                                                                     \
    FUNCTION(void, SSL_set_accept_state, (SSL *))                                                                      \
    FUNCTION(int, SSL_do_handshake, (SSL *))                                                                           \
    FUNCTION(int, SSL_is_init_finished, (const SSL *))                                                                 \
    FUNCTION(int, SSL_read, (SSL *, void *, int))                                                                      \
    FUNCTION(int, SSL_write, (SSL *, const void *, int))                                                               \
    FUNCTION(int, SSL_shutdown, (SSL *))                                                                               \
    FUNCTION(void, SSL_set_shutdown, (SSL *, int))                                                                     \
    FUNCTION(int, SSL_get_error, (const SSL *, int))                                                                   \
    FUNCTION(int, SSL_set_session, (SSL *, SSL_SESSION *))                                                             \
    FUNCTION(int, SSL_session_reused, (const SSL *))                                                                   \
    FUNCTION(void, SSL_SESSION_free, (SSL_SESSION *))                                                                  \
    FUNCTION(BIO_METHOD *, BIO_meth_new, (int, const char *))                                                          \
    FUNCTION(int, BIO_meth_set_read, (BIO_METHOD *, int (*)(BIO *, char *, int)))                                      \
    FUNCTION(int, BIO_meth_set_write, (BIO_METHOD *, int (*)(BIO *, const char *, int)))                               \
    FUNCTION(int, BIO_meth_set_ctrl, (BIO_METHOD *, long (*)(BIO *, int, long, void *)))                               \
    FUNCTION(BIO *, BIO_new, (const BIO_METHOD *))                                                                     \
    FUNCTION(void, BIO_set_init, (BIO *, int))                                                                         \
    FUNCTION(void, BIO_set_flags, (BIO *, int))                                                                        \
    FUNCTION(void, BIO_clear_flags, (BIO *, int))                                                                      \
    FUNCTION(void, ERR_clear_error, (void))                                                                            \
    FUNCTION(unsigned long, ERR_peek_error, (void))                                                                    \
    FUNCTION(const char *, ERR_reason_error_string, (unsigned long))

#define OPENSSL_MEMBER(type, name, parameters) type(*name) parameters;
struct openssl {
    OPENSSL_FUNCTIONS(OPENSSL_MEMBER)
};
extern struct openssl openssl;

// From OpenSSL's headers, where they have these names without the prefix.
enum {
    openssl_set_mode = 33,                  // SSL_CTRL_MODE
    openssl_set_read_ahead = 41,            // SSL_CTRL_SET_READ_AHEAD
    openssl_set_session_cache_mode = 44,    // SSL_CTRL_SET_SESS_CACHE_MODE
    openssl_set_groups = 92,                // SSL_CTRL_SET_GROUPS_LIST
    openssl_set_minimum_version = 123,      // SSL_CTRL_SET_MIN_PROTO_VERSION
    openssl_version_1_3 = 0x0304,
    // SSL_MODE_ENABLE_PARTIAL_WRITE, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, SSL_MODE_NO_AUTO_CHAIN and
    // SSL_MODE_RELEASE_BUFFERS
    openssl_modes = 0x1 | 0x2 | 0x8 | 0x10,
    // SSL_SESS_CACHE_OFF; SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
    openssl_no_session_cache = 0,
    openssl_own_session_cache = 0x1 | 0x300,
    openssl_pem_file = 1,                   // SSL_FILETYPE_PEM
    openssl_wants_reading = 2,              // SSL_ERROR_WANT_READ
    openssl_wants_writing = 3,              // SSL_ERROR_WANT_WRITE
    openssl_has_failed_in_system = 5,       // SSL_ERROR_SYSCALL
    openssl_has_ended = 6,                  // SSL_ERROR_ZERO_RETURN
    openssl_ended_both_ways = 3,            // SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN
    openssl_source_and_sink = 0x0400,       // BIO_TYPE_SOURCE_SINK
    openssl_retry_reading = 0x09,           // BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY
    openssl_retry_any = 0x0F,
    openssl_flush = 11,                     // BIO_CTRL_FLUSH
};

// Loads OpenSSL, once. False where there is none.
bool openssl_load(network_failure *failure);

// Why the last call has failed, in OpenSSL's words.
const char *openssl_reason(void);

// TLS 1.3 with one cipher and one group, so that nobody is measured with others.
SSL_CTX *openssl_context(const SSL_METHOD *method, network_failure *failure);

#endif
