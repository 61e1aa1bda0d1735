// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// Packets of a sender while all states are 0, as those of most protocols always are.
extension CodecPair {
    public func disagreements(on payloads: [[UInt8]], id: UInt64, from sender: Sender) -> [String] {
        disagreements(on: payloads, id: id, in: PacketContext(from: sender))
    }

    public func disagreement(on bytes: [UInt8], from sender: Sender) -> String? {
        disagreement(on: bytes, in: PacketContext(from: sender))
    }

    public func translatorVerdict(on payload: [UInt8], id: UInt64, from sender: Sender) -> String {
        translatorVerdict(on: payload, id: id, in: PacketContext(from: sender))
    }

    public func generatedVerdict(on payload: [UInt8], id: UInt64, from sender: Sender) -> String {
        generatedVerdict(on: payload, id: id, in: PacketContext(from: sender))
    }
}

extension PacketProtocol {
    /// Reads a packet as its message's type, and writes it again.
    ///
    /// - Returns: The message and its encoded bytes; nil for an unknown ID.
    public static func transcode(
        _ bytes: [UInt8], from sender: Sender
    ) throws(CodecError) -> (message: any PacketMessage, bytes: [UInt8])? {
        try transcode(bytes, in: PacketContext(from: sender))
    }
}
