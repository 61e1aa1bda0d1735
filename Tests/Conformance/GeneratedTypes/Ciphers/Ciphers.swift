// SPDX-License-Identifier: Apache-2.0

// A cipher whose keystreams go on from packet to packet, with the ID and the sequence number inside.
