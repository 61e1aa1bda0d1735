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
        let packet = try vector.translator().encode(
            line: vector.line(), from: vector.sender(), states: vector.context().states)
        #expect(try Hexadecimal.text(of: packet) == Hexadecimal.text(of: vector.bytes()))
    }

    /// A packet in another form than ours, which must have the same meaning when it is written again.
    @Test(arguments: Vector.decodeOnly)
    func `a packet in another form decodes to the same values`(vector: Vector) throws {
        let again = try vector.encodedInOurForm()
        // What is compressed may come out as another program has done it.
        if !vector.folder.hasLayers {
            #expect(try Hexadecimal.text(of: again) != Hexadecimal.text(of: vector.bytes()))
        }
        let (decoded, line) = (try vector.decoded(again), try vector.line())
        #expect(decoded["fields"] == line["fields"])
        #expect(decoded["packets"] == line["packets"])
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
        let bytes = try other ?? bytes()
        return try translator().decode(bytes.rawSpan, in: context())
    }

    /// The packet of the line, in the form that this project writes.
    func encodedInOurForm() throws -> [UInt8] {
        let (translator, line) = (try translator(), try line())
        // A header without layers must be given where its length has several forms; one of layers is that of other bytes.
        let deciding = folder.hasLayers ? line : line.withDecidingHeader(translator)
        return try translator.encode(line: deciding, from: sender(), states: context().states)
    }

    /// The first error for a receiver of these bytes, followed by the end of the stream; nil if nothing is wrong.
    ///
    /// - Parameter offset: The place at which the bytes are cut in two.
    func firstError(cutAt offset: Int?) throws -> CodecError? {
        let (bytes, context) = (try bytes(), try context())
        let translator = try translator()
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
