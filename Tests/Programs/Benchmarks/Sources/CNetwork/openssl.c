// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "openssl.h"
#include "process.h"

#include <dlfcn.h>

struct openssl openssl;

bool openssl_load(network_failure *failure) {
    static bool is_loaded;
    if (is_loaded) return true;
    void *ssl = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL), *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (ssl == NULL || crypto == NULL) return fail(failure, "there is no OpenSSL 3 (Debian: libssl3)");
    void *found;
#define OPENSSL_LOAD(type, name, parameters)                                                                           \
    found = dlsym(ssl, #name);                                                                                         \
    if (found == NULL) found = dlsym(crypto, #name);                                                                   \
    if (found == NULL) return fail(failure, "OpenSSL has no function " #name);                                         \
    openssl.name = (type(*) parameters)found;
    OPENSSL_FUNCTIONS(OPENSSL_LOAD)
    is_loaded = true;
    return true;
}

bool network_has_tls(network_failure *failure) { return openssl_load(failure); }

const char *openssl_reason(void) {
    unsigned long error = openssl.ERR_peek_error();
    const char *reason = error == 0 ? NULL : openssl.ERR_reason_error_string(error);
    return reason == NULL ? "no reason" : reason;
}

SSL_CTX *openssl_context(const SSL_METHOD *method, network_failure *failure) {
    SSL_CTX *context = openssl.SSL_CTX_new(method);
    if (context == NULL || openssl.SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") != 1 ||
        openssl.SSL_CTX_ctrl(context, openssl_set_groups, 0, "X25519") != 1 ||
        openssl.SSL_CTX_ctrl(context, openssl_set_minimum_version, openssl_version_1_3, NULL) != 1) {
        fail(failure, "OpenSSL cannot be set up: %s", openssl_reason());
        return NULL;
    }
    openssl.SSL_CTX_ctrl(context, openssl_set_mode, openssl_modes, NULL);
    return context;
}
