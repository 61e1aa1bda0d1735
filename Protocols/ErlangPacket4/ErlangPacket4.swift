// SPDX-License-Identifier: Apache-2.0

// Erlang's `{packet, 4}`: what `gen_tcp`, `ssl` and ports call a packet, counted by four bytes. The messages are
// generated from erlang-packet-4.wire when this target is built.
