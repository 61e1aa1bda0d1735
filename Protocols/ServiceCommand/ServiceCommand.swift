// SPDX-License-Identifier: Apache-2.0

// A header of two IDs and two lengths around tables of FlatBuffers. The messages are generated from service-
// command.wire when this target is built.
