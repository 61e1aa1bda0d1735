// SPDX-License-Identifier: Apache-2.0
#include "seal.h"
#include "process.h"

#include <string.h>

enum { record_byte_count = 16 * 1024 };

static SSL_CTX *context;
static BIO_METHOD *method;

// What OpenSSL reads and writes, for as long as a call lasts: there is one thread.
static const uint8_t *incoming;
static size_t incoming_count;
static buffer *outgoing;

static int read_incoming(BIO *stream, char *bytes, int room) {
    openssl.BIO_clear_flags(stream, openssl_retry_any);
    size_t count = incoming_count < (size_t)room ? incoming_count : (size_t)room;
    if (count == 0) {
        openssl.BIO_set_flags(stream, openssl_retry_reading);
        return -1;
    }
    memcpy(bytes, incoming, count);
    incoming += count;
    incoming_count -= count;
    return (int)count;
}

static int write_outgoing(BIO *stream, const char *bytes, int count) {
    openssl.BIO_clear_flags(stream, openssl_retry_any);
    make_room(outgoing, outgoing->count + (size_t)count);
    memcpy(outgoing->bytes + outgoing->count, bytes, (size_t)count);
    outgoing->count += (size_t)count;
    return count;
}

static long control(BIO *stream, int command, long number, void *pointer) {
    (void)stream, (void)number, (void)pointer;
    return command == openssl_flush;
}

bool seal_set_up(const char *certificate, const char *key, network_failure *failure) {
    if (!openssl_load(failure)) return false;
    context = openssl_context(openssl.TLS_server_method(), failure);
    if (context == NULL) return false;
    // Sessions are in tickets, of which one is enough.
    openssl.SSL_CTX_set_num_tickets(context, 1);
    openssl.SSL_CTX_ctrl(context, openssl_set_session_cache_mode, openssl_no_session_cache, NULL);
    if (openssl.SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
        openssl.SSL_CTX_use_PrivateKey_file(context, key, openssl_pem_file) != 1) {
        return fail(failure, "%s, %s: %s", certificate, key, openssl_reason());
    }
    method = openssl.BIO_meth_new(openssl_source_and_sink, "shared buffers");
    openssl.BIO_meth_set_read(method, read_incoming);
    openssl.BIO_meth_set_write(method, write_outgoing);
    openssl.BIO_meth_set_ctrl(method, control);
    return true;
}

SSL *seal_accept(void) {
    SSL *tls = openssl.SSL_new(context);
    BIO *stream = openssl.BIO_new(method);
    if (tls == NULL || stream == NULL) abort();
    openssl.BIO_set_init(stream, 1);
    openssl.SSL_set_bio(tls, stream, stream);
    openssl.SSL_set_accept_state(tls);
    return tls;
}

bool seal_open(SSL *tls, const uint8_t *bytes, size_t count, buffer *plain, buffer *sealed) {
    incoming = bytes;
    incoming_count = count;
    outgoing = sealed;
    for (;;) {
        make_room(plain, plain->count + record_byte_count);
        openssl.ERR_clear_error();
        int status = openssl.SSL_read(tls, plain->bytes + plain->count, record_byte_count);
        if (status <= 0) return openssl.SSL_get_error(tls, status) == openssl_wants_reading;
        plain->count += (size_t)status;
    }
}

bool seal_close(SSL *tls, const buffer *plain, buffer *sealed) {
    outgoing = sealed;
    for (size_t done = 0; done < plain->count;) {
        size_t left = plain->count - done;
        openssl.ERR_clear_error();
        int status = openssl.SSL_write(
            tls, plain->bytes + done, left < record_byte_count ? (int)left : record_byte_count);
        if (status <= 0) return false;
        done += (size_t)status;
    }
    return true;
}

void seal_end(SSL *tls, buffer *sealed) {
    outgoing = sealed;
    openssl.SSL_shutdown(tls);
}
