// SPDX-License-Identifier: Apache-2.0

// The messages that the programs send to Erlang and get from it.
