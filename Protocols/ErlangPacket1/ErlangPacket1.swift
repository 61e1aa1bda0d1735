// SPDX-License-Identifier: Apache-2.0

// Erlang's `{packet, 1}`: what `gen_tcp`, `ssl` and ports call a packet, counted by one byte. The messages are
// generated from erlang-packet-1.wire when this target is built.
