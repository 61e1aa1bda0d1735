// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import WirelineCodec
import WirelineSchema

/// Compares the schema-driven codec with all vectors.
struct TranslatorVectorTests {
    @Test(arguments: Vector.decodable)
    func `a packet is decoded to its line`(vector: Vector) throws {
        let line = try vector.decoded()
        if Vector.isRecording { return try vector.record(line.description) }
        #expect(try line == vector.line())
    }

    @Test(arguments: Vector.exact)
    func `a line is encoded to its packet`(vector: Vector) throws {
        let packet = try vector.folder.translator.encode(
            line: vector.line(), from: vector.sender(), states: vector.context().states)
        #expect(try Hexadecimal.text(of: packet) == Hexadecimal.text(of: vector.bytes()))
    }

    /// A packet in another form than ours, which must have the same meaning when it is written again.
    @Test(arguments: Vector.decodeOnly)
    func `a packet in another form decodes to the same values`(vector: Vector) throws {
        let translator = vector.folder.translator
        let line = try vector.line()
        let again = try translator.encode(
            line: line.withDecidingHeader(translator.description), from: vector.sender(),
            states: vector.context().states)
        #expect(try Hexadecimal.text(of: again) != Hexadecimal.text(of: vector.bytes()))
        #expect(try vector.decoded(again)["fields"] == line["fields"])
    }

    @Test(arguments: Vector.invalid)
    func `invalid bytes are refused with the expected error`(vector: Vector) throws {
        let error = try #require(try vector.firstError(cutAt: nil))
        if Vector.isRecording { return try vector.record(error.description) }
        #expect(try error.description == vector.errorLine())
    }
}

extension Vector {
    /// The line that decoding returns.
    func decoded(_ other: [UInt8]? = nil) throws -> JSONValue {
        let description = folder.translator.description
        let bytes = try description.layout.unframed(other ?? bytes())
        let limit = description.options.maximumPacketByteCount
        let layout = try description.layout.layout(in: context())
        let packet = try Packet(bytes.span.bytes, layout: layout, limit: limit)
        return try folder.translator.decode(packet, from: sender())
    }

    /// The first error for a receiver of these bytes, followed by the end of the stream; nil if nothing is wrong.
    ///
    /// - Parameter offset: The place at which the bytes are cut in two.
    func firstError(cutAt offset: Int?) throws -> CodecError? {
        let (bytes, context) = (try bytes(), try context())
        let translator = folder.translator
        var splitter = PacketSplitter(translator.description, in: context)
        do throws(CodecError) {
            for range in [0..<(offset ?? bytes.count), (offset ?? bytes.count)..<bytes.count] {
                var range = range
                repeat {
                    try splitter.receive(bytes.span.bytes.extracting(range)) { packet throws(CodecError) in
                        _ = try translator.decode(packet, preferring: context.sender)
                    }
                    range = range.upperBound..<range.upperBound
                } while splitter.endedAtStateChange
            }
            try splitter.finish()
            return nil
        } catch {
            return error
        }
    }
}

extension PacketSplitter {
    /// A splitter of the packets of one end, with the protocol's limit.
    init(_ description: ProtocolDescription, in context: PacketContext) {
        self.init(
            layout: description.layout, context: context,
            maximumPacketByteCount: description.options.maximumPacketByteCount)
    }
}
