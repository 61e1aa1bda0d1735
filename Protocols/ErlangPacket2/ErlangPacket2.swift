// SPDX-License-Identifier: Apache-2.0

// Erlang's `{packet, 2}`: what `gen_tcp`, `ssl` and ports call a packet, counted by two bytes. The messages are
// generated from erlang-packet-2.wire when this target is built.
