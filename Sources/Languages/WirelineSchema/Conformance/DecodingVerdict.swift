// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLayers

package enum DecodingVerdict {
    /// The bytes begin with a packet of `byteCount` bytes, which means this line.
    case packet(byteCount: Int, line: JSONValue)
    /// At least this many more bytes are needed.
    case more(byteCount: Int)
    /// No packet of this protocol begins with the bytes.
    case refused(CodecError)
}

extension PacketTranslator {
    /// Decodes the first packet of some bytes; earlier calls have no effect.
    package func verdict(on bytes: ArraySlice<UInt8>, in context: PacketContext) -> DecodingVerdict {
        let options = description.options
        let all = Array(bytes)
        guard !description.layout.isFramed else { return framedVerdict(on: all, in: context) }
        do throws(CodecError) {
            let layout = description.layout.layout(in: context)
            switch try layout.scan(all.rawSpan, limit: options.maximumPacketByteCount) {
            case .needs(let byteCount): return .more(byteCount: byteCount - all.count)
            case .packet(let bounds) where bounds.packetByteCount > all.count:
                return .more(byteCount: bounds.packetByteCount - all.count)
            case .packet(let bounds):
                let packet = Array(all.prefix(bounds.packetByteCount))
                return .packet(byteCount: packet.count, line: try decode(packet.rawSpan, in: context))
            }
        } catch {
            return .refused(error)
        }
    }

    private func framedVerdict(on bytes: [UInt8], in context: PacketContext) -> DecodingVerdict {
        let layout = description.layout.layout(in: context)
        var splitter = PacketSplitter(
            layout: layout, maximumPacketByteCount: description.options.maximumPacketByteCount)
        var position = 0
        do throws(CodecError) {
            guard let (content, bounds) = try splitter.nextPacket(in: bytes, from: &position) else {
                return .more(byteCount: 1)
            }
            let line = try decode(Packet(content.rawSpan, bounds), from: context.sender)
            return .packet(byteCount: position, line: line)
        } catch {
            return .refused(error)
        }
    }

    /// Returns the first error of these bytes followed by the end of the stream; nil if there is none.
    ///
    /// - Parameter context: The context of the first packet; messages may set states for the next ones.
    package func streamError(of bytes: [UInt8], in context: PacketContext) -> CodecError? {
        guard !hasContent else { return layeredStreamError(of: bytes, in: context) }
        var splitter = PacketSplitter(
            layout: description.layout, context: context,
            maximumPacketByteCount: description.options.maximumPacketByteCount)
        var piece = bytes
        do throws(CodecError) {
            repeat {
                try splitter.receive(piece.rawSpan) { packet throws(CodecError) in
                    _ = try self.decode(packet, from: context.sender)
                }
                piece = []
            } while splitter.endedAtStateChange
            try splitter.finish()
            return nil
        } catch {
            return error
        }
    }

    private func layeredStreamError(of bytes: [UInt8], in context: PacketContext) -> CodecError? {
        var stream = makeStream(of: bytes, in: context)
        do throws(CodecError) {
            while let (_, opened) = try stream.next() { _ = try line(of: opened, .from(context.sender)) }
            return stream.endError()
        } catch {
            return error
        }
    }

    private func makeStream(of bytes: [UInt8], in context: PacketContext) -> OpenedStream {
        var stream = OpenedStream(
            description.layout, in: context, packetLimit: description.options.maximumPacketByteCount, settings: layers)
        stream.receive(bytes)
        return stream
    }

    /// Returns the context after the first packet of some bytes.
    package func context(after bytes: [UInt8], in context: PacketContext) -> PacketContext {
        guard !hasContent else {
            var stream = makeStream(of: bytes, in: context)
            _ = try? stream.next()
            return PacketContext(from: context.sender, states: stream.states)
        }
        var splitter = PacketSplitter(
            layout: description.layout, context: context,
            maximumPacketByteCount: description.options.maximumPacketByteCount)
        var position = 0
        _ = try? splitter.nextPacket(in: bytes, from: &position)
        return PacketContext(from: context.sender, states: splitter.states)
    }

    /// Returns the likely sender of a packet: the client, unless only servers have a message with its ID.
    ///
    /// If packets depend on the sender, the bytes are a whole packet of only one sender, or of neither.
    ///
    /// - Parameter states: The states of the connection.
    package func likelySender(of bytes: [UInt8], _ states: PacketStates = PacketStates()) -> Sender {
        let isKnown = { (sender: Sender) in
            if hasContent { return knows(bytes, PacketContext(from: sender, states: states)) }
            return bounds(of: bytes, in: PacketContext(from: sender, states: states)).map {
                index.message(id: $0.id, from: sender) != nil
            } ?? false
        }
        return isKnown(.client) || !isKnown(.server) ? .client : .server
    }

    /// Whether all messages in a packet with layers are messages of its sender.
    private func knows(_ bytes: [UInt8], _ context: PacketContext) -> Bool {
        var stream = makeStream(of: bytes, in: context)
        guard let (_, opened) = try? stream.next(), opened.failure == nil, stream.unreadByteCount == 0 else {
            return false
        }
        let messages = opened.entries.filter { $0.kind == .message }
        return !messages.isEmpty
            && messages.allSatisfy { index.message(id: $0.bounds.id, from: context.sender) != nil }
    }

    /// Returns the parts of the first packet in a context; nil if the bytes do not begin with one.
    private func bounds(of bytes: [UInt8], in context: PacketContext) -> PacketBounds? {
        var splitter = PacketSplitter(
            layout: description.layout.layout(in: context),
            maximumPacketByteCount: description.options.maximumPacketByteCount)
        var position = 0
        guard let (_, bounds) = try? splitter.nextPacket(in: bytes, from: &position) else { return nil }
        return description.layout.dependsOnContext && position != bytes.count ? nil : bounds
    }
}
