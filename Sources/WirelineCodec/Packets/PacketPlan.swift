// SPDX-License-Identifier: Apache-2.0

/// A layout boiled down to the numbers that splitting and encoding use for every packet.
@usableFromInline
struct PacketPlan: Equatable, Sendable {
    @usableFromInline let minimumPacketByteCount: Int

    init(header: [PacketField], trailer: [PacketField]) {
        minimumPacketByteCount = (header + trailer).reduce(0) { $0 + ($1.format.byteCount ?? 1) }
    }
}
