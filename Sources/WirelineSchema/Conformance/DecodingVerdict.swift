// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// What a receiver makes of the bytes that have come so far.
package enum DecodingVerdict {
    /// They begin with a packet of so many bytes, which is this line.
    case packet(byteCount: Int, line: JSONValue)
    /// At least so many more bytes are needed.
    case more(byteCount: Int)
    /// They begin with no packet of this protocol.
    case refused(CodecError)
}

extension PacketTranslator {
    /// What bytes begin with, without any memory of those before.
    package func verdict(on bytes: ArraySlice<UInt8>, from sender: Sender) -> DecodingVerdict {
        let options = description.options
        let all = Array(bytes)
        do throws(CodecError) {
            switch try description.layout.scan(all.lentBytes, limit: options.maximumPacketByteCount) {
            case .needs(let byteCount): return .more(byteCount: byteCount - all.count)
            case .packet(let bounds) where bounds.packetByteCount > all.count:
                return .more(byteCount: bounds.packetByteCount - all.count)
            case .packet(let bounds):
                let packet = Array(all.prefix(bounds.packetByteCount))
                return .packet(byteCount: packet.count, line: try decode(packet.lentBytes, from: sender))
            }
        } catch {
            return .refused(error)
        }
    }

    /// What a receiver of these bytes and the end of the stream behind them says first; nil when nothing is wrong.
    package func streamError(of bytes: [UInt8], from sender: Sender) -> CodecError? {
        var splitter = PacketSplitter(
            layout: description.layout, maximumPacketByteCount: description.options.maximumPacketByteCount)
        do throws(CodecError) {
            try splitter.receive(bytes.lentBytes) { packet throws(CodecError) in
                _ = try self.decode(packet, from: sender)
            }
            try splitter.finish()
            return nil
        } catch {
            return error
        }
    }

    /// Who sends a packet, where nothing says so: a client, unless only servers have a message of its ID.
    package func likelySender(of bytes: [UInt8]) -> Sender {
        let limit = description.options.maximumPacketByteCount
        guard case .packet(let bounds)? = try? description.layout.scan(bytes.lentBytes, limit: limit) else {
            return .client
        }
        let isKnown = index.message(id: bounds.id, from: .client) != nil
        return isKnown || index.message(id: bounds.id, from: .server) == nil ? .client : .server
    }
}

extension [UInt8] {
    /// The array's bytes, lent.
    var lentBytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: an array of bytes has neither padding nor bytes that are not initialised.
            unsafe span.bytes
        }
    }
}
