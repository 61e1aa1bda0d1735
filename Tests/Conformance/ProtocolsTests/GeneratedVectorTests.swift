// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Compares the generated code with all vectors.
struct GeneratedVectorTests {
    @Test(arguments: Vector.decodable)
    func `a generated type reads the values of the line`(vector: Vector) throws {
        let (generated, context) = (try vector.folder.generated(), try vector.context())
        let json = GeneratedJSON(description: vector.folder.translator.description)
        try vector.forEachPacket { packet, line in
            guard let message = try generated.message(in: packet, from: context.sender) else {
                #expect(line["message"] == .null)
                return
            }
            #expect(line["message"] == .string(type(of: message).messageName))
            #expect(line["id"] == .exact(Int128(type(of: message).messageID)))
            #expect(json.fields(of: message) == line["fields"])
            #expect(json.trailing(of: message) == line["trailing"])
        }
    }

    @Test(arguments: Vector.exact)
    func `a generated type writes the packet back`(vector: Vector) throws {
        let bytes = try vector.bytes()
        guard !vector.folder.hasLayers else {
            #expect(try Hexadecimal.text(of: vector.sealedAgain()) == Hexadecimal.text(of: bytes))
            return
        }
        let again = try vector.folder.generated().transcode(bytes, in: vector.context())
        #expect(Hexadecimal.text(of: again?.bytes ?? bytes) == Hexadecimal.text(of: bytes))
        #expect(try (again == nil) == (vector.line()["message"] == .null))
    }

    /// Here alone the two codecs differ on purpose: JSON cannot hold the other bits of a NaN.
    @Test(arguments: Vector.decodeOnly.filter { !$0.name.hasSuffix("-signalling-nan") })
    func `for packets in another form, both codecs write the same form`(vector: Vector) throws {
        let again =
            vector.folder.hasLayers
            ? try vector.sealedAgain()
            : try #require(try vector.folder.generated().transcode(vector.bytes(), in: vector.context())).bytes
        #expect(try Hexadecimal.text(of: again) == Hexadecimal.text(of: vector.encodedInOurForm()))
    }

    @Test func `a NaN keeps all its bits in a typed value`() throws {
        let vector = try #require(Vector.decodeOnly.first { $0.name == "IDFirst/register-signalling-nan" })
        let again = try vector.folder.generated().transcode(vector.bytes(), in: vector.context())
        #expect(try again?.bytes == vector.bytes())
    }

    @Test(arguments: Vector.invalid)
    func `a generated type refuses invalid packets with the expected error`(vector: Vector) throws {
        let (bytes, context, generated) = (try vector.bytes(), try vector.context(), try vector.folder.generated())
        let translator = try vector.translator()
        var splitter = PacketSplitter(
            layout: generated.layout, context: context, maximumPacketByteCount: generated.maximumPacketByteCount)
        let error = #expect(throws: CodecError.self) {
            var piece = bytes
            var opener = translator.makeOpener(from: context.sender)
            repeat {
                try splitter.receive(piece.span.bytes) { packet throws(CodecError) in
                    guard vector.folder.hasLayers else {
                        _ = try generated.message(in: packet, preferring: context.sender)
                        return
                    }
                    try opener.read(packet, as: generated, in: context)
                }
                piece = []
            } while splitter.endedAtStateChange
            try splitter.finish()
        }
        #expect(try error?.description == vector.errorLine())
    }
}

extension PacketOpener {
    /// Reads a packet, or those inside of it, as the generated types.
    fileprivate mutating func read(
        _ packet: borrowing Packet, as generated: any PacketProtocol.Type, in context: PacketContext
    ) throws(CodecError) {
        let packets = open(packet, states: context.states)
        for index in packets.entries.indices where packets.entries[index].kind == .message {
            do throws(CodecError) {
                try packets.withPacket(at: index) { (packet: borrowing Packet) throws(CodecError) in
                    _ = try generated.message(in: packet, preferring: context.sender)
                }
            } catch {
                let path = packets.path(of: index)
                throw path.isEmpty ? error : error.prefixed(by: path)
            }
        }
        if let failure = packets.failure { throw failure }
    }
}

/// The properties of each generated protocol.
struct GeneratedProtocolTests {
    @Test func `each folder has a generated module`() {
        #expect(ProtocolFolder.generated.map { $0.protocolName } == ProtocolFolder.all.map(\.name))
    }

    @Test(arguments: ProtocolFolder.all)
    func `layout and limits equal those of the description`(folder: ProtocolFolder) throws {
        let (generated, description) = (try folder.generated(), folder.translator.description)
        #expect(generated.layout == description.layout)
        #expect(generated.plan == description.layout.plan)
        #expect(generated.maximumPacketByteCount == description.options.maximumPacketByteCount)
        #expect(generated.maximumDepth == description.options.maximumDepth)
    }

    @Test(arguments: Role.all)
    func `each side has a list of its messages`(role: Role) throws {
        let types = try role.folder.generated().messageTypes(from: role.sender)
        let type = types.first { $0.messageID == role.message.id }
        guard role.message.senders.contains(role.sender) else {
            #expect(type?.messageName != role.message.name)
            return
        }
        #expect(type?.messageName == role.message.name)
        #expect(type?.messageID == role.message.id)
        #expect(type.map { replyIDs(of: $0) } == role.replies.map(\.id))
        #expect(role.sender == .client ? type is any ClientMessage.Type : type is any ServerMessage.Type)
    }

    private func replyIDs(of type: any PacketMessage.Type) -> [UInt64] {
        (type as? any RequestMessage.Type)?.replyIDs ?? []
    }
}

/// A message, and one end of a connection.
struct Role: Sendable, CustomTestStringConvertible {
    let folder: ProtocolFolder
    let message: MessageDescription
    let sender: Sender

    var testDescription: String { "\(folder.name)/\(message.name) from the \(sender)" }

    /// The messages that may answer it.
    var replies: [MessageDescription] {
        message.replies.compactMap(folder.translator.description.message(named:))
    }

    static let all = ProtocolFolder.all.flatMap { folder in
        folder.translator.description.messages.flatMap { message in
            Sender.allCases.map { Role(folder: folder, message: message, sender: $0) }
        }
    }
}
