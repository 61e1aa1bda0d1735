// SPDX-License-Identifier: Apache-2.0

// Messages that are records of Erlang, because the target depends on WirelineErlang.
