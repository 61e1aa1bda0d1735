// SPDX-License-Identifier: Apache-2.0

// The common header of Erlang game servers, two bytes of length and two of command, with messages as such games have.
// The messages are generated from the .wire files when this target is built.
