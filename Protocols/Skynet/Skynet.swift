// SPDX-License-Identifier: Apache-2.0

// The packages of skynet's gate (github.com/cloudwu/skynet, service/gate.lua). The messages are generated from
// skynet.wire when this target is built.
