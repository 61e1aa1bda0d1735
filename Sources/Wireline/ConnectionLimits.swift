// SPDX-License-Identifier: Apache-2.0

/// What a connection may cost.
package struct ConnectionLimits: Equatable, Sendable {
    /// The most bytes of a packet, header and trailer included (default 1 MiB). A longer one ends the connection at its
    /// header.
    package var packetByteCount: Int
    /// How many bytes may wait to be sent before senders wait (default 1 MiB). One packet may go beyond it.
    package var pendingByteCount: Int

    package init(packetByteCount: Int = 1 << 20, pendingByteCount: Int = 1 << 20) {
        self.packetByteCount = packetByteCount
        self.pendingByteCount = pendingByteCount
    }
}
