// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A transform of a packet's content, for `layer custom(NAME);` in a schema.
///
/// There is one value for each direction of a connection, and it gets the packets in their order. So it may keep state
/// from packet to packet, such as a keystream. One end opens what the other end has sealed.
public protocol PacketLayer {
    /// Returns the content of received bytes.
    ///
    /// - Parameters:
    ///   - sealed: The bytes after the layer's line in the packet, up to the end of the payload.
    ///   - header: The header fields before the layer.
    ///   - limit: The most bytes that may be returned (`max_inflated`, less what outer layers made of this packet). Do
    ///     not make more of them and throw `CodecError.Reason.inflatedTooLong(limit:)` instead; a longer result is
    ///     refused.
    /// - Throws: An error ends the connection. Use `CodecError.Reason.invalidLayer(_:)` for bytes that the peer
    ///   cannot have sealed.
    mutating func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8]

    /// Returns the bytes to send for a content.
    ///
    /// - Parameters:
    ///   - content: The bytes to seal.
    ///   - header: The header fields before the layer.
    mutating func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8]
}
