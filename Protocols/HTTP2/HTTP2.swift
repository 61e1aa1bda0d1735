// SPDX-License-Identifier: Apache-2.0

// The frames of HTTP/2 (RFC 9113 §4.1). The messages are generated from http2.wire when this target is built.
