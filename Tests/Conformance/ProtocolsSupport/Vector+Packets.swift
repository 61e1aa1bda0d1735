// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLayers
package import WirelineSchema

/// The packets of a vector as a program gets them: the packet or, if it holds packets, those inside of it.
extension Vector {
    /// Calls `body` with each packet and its line, in their order.
    ///
    /// - Throws: What `body` throws, and `CodecError` for a packet that cannot be read.
    package func forEachPacket(_ body: (borrowing Packet, JSONValue) throws -> Void) throws {
        let (description, context) = (folder.translator.description, try context())
        guard folder.hasLayers else {
            let limit = description.options.maximumPacketByteCount
            let content = try description.layout.unframed(bytes(), limit: limit)
            let packet = try Packet(content.rawSpan, layout: description.layout.layout(in: context), limit: limit)
            return try body(packet, line())
        }
        let packets = try LayeredCodec(folder.generated(), translator()).open(bytes(), in: context)
        if let failure = packets.failure { throw failure }
        var lines = try line().delivered[...]
        for index in packets.entries.indices where packets.entries[index].kind != .packets {
            try packets.withPacket(at: index) { packet in try body(packet, lines.popFirst() ?? .null) }
        }
    }

    /// Reads each packet of a protocol with layers as its message's type, and writes all of it again, sealed.
    package func sealedAgain() throws -> [UInt8] {
        let (codec, context) = (LayeredCodec(try folder.generated(), try translator()), try context())
        let packets = try codec.open(bytes(), in: context)
        if let failure = packets.failure { throw failure }
        return try codec.sealAgain(packets, in: context)
    }
}

extension JSONValue {
    /// The lines of the packets that a program gets of this one.
    fileprivate var delivered: [JSONValue] {
        guard case .array(let packets)? = self["packets"] else { return [self] }
        return packets.flatMap(\.delivered)
    }
}
