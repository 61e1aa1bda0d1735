// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

/// What generators make of conditions that look at the packet's header, and that others get none of it.
struct HeaderConditionGoldenTests {
    private static let packet = """
        enum QoS : uint2 { at_most_once = 0; at_least_once = 1; }
        packet { @id uint4 type; bit dup; @default(at_least_once) QoS qos; bit retain; @length(rest) uint8 length; }
        @id(1) @from(both) message Plain { uint8 a; @if(a) uint8 b; }

        """
    private static let publish = """
        @id(3) @from(both) message Publish { @if(header.qos > 0 and not header.dup) uint16 packetID; }
        """

    private static func description(_ schema: String) throws -> ProtocolDescription {
        let files = [SourceFile(path: "a.wire", bytes: Array(schema.utf8))]
        return try #require(ProtocolDescription.check(name: "Golden", files: files).description)
    }

    @Test func `Swift reads and measures with a header, and without one with the defaults`() throws {
        let files = SwiftGenerator(try Self.description(Self.packet + Self.publish)).files()
        let text = files.map(\.text).joined()
        let condition = #"(header["qos"] ?? 0) > 0 && !((header["dup"] ?? 0) != 0)"#
        for part in [
            "    @inlinable public static var looksAtHeader: Swift::Bool { true }\n",
            "try self.init(from: &reader, header: Definition.layout.completed([:]))",
            "        if \(condition) {\n",
            "try WirelineCodec::FieldCheck.presence(self.packetID != nil, when: \(condition))\n",
            "try self.payloadByteCount(header: Definition.layout.completed([:]))",
            "case 1: self = .plain(try .init(from: &reader))\n",
            "case 3: self = .publish(try .init(from: &reader, header: Definition.layout.header(of: packet)))\n",
        ] { #expect(text.contains(part), "\(part) is missing in \(text)") }
        #expect(text.split(separator: "looksAtHeader").count == 2)
    }

    @Test func `Erlang gives the map of the header to messages that look at it`() throws {
        let text = ErlangGenerator(try Self.description(Self.packet + Self.publish)).files()[0].text
        for part in [
            "{Id, Payload} = payload(Message, Header),", "message(Sender, Id, Payload, End, Header), Rest}",
            "message(cs, 1, B, E, _) -> read_plain(B, E);", "message(cs, 3, B, E, H) -> read_publish(B, E, H);",
            "payload(#plain{} = M, _) -> {1, write_plain(M)};",
            "payload(#publish{} = M, H) -> {3, write_publish(M, H)};",
            "maps:get(qos, H, at_least_once)", "maps:get(qos, H, at_most_once)", "maps:get(dup, H, false)",
            "H2 > 0 andalso not (H1 =/= 0)",
        ] { #expect(text.contains(part), "\(part) is missing in \(text)") }
    }

    @Test func `the dissector remembers the header for conditions`() throws {
        let text = try WiresharkGenerator(Self.description(Self.packet + Self.publish)).files()[0].text
        for part in [
            #"when = { "and", { ">", "header.qos", { 0, 0 } }, { "not", { "!=", "header.dup", { 0, 0 } } } }"#,
            "read_fields(reader, tree, message.fields, header_numbers(reader))",
            "reader.seen[field.name] = { at - reader.start, high, low }", "local values = header or {}",
        ] { #expect(text.contains(part), "\(part) is missing in \(text)") }
    }

    @Test func `the documents name the header's field and its case`() throws {
        let description = try Self.description(Self.packet + Self.publish)
        let condition = "header.qos > at_most_once and not header.dup"
        #expect(MarkdownGenerator(description).files().map(\.text).joined().contains(condition))
        #expect(
            HTMLGenerator(description).files().map(\.text).joined().contains(
                "header.qos &gt; at_most_once and not header.dup"))
    }

    @Test func `conditions on fields of the message alone leave no trace of the header`() throws {
        let description = try Self.description(Self.packet)
        let swift = SwiftGenerator(description).files().map(\.text).joined()
        #expect(!swift.contains("looksAtHeader") && !swift.contains("header["))
        let erlang = ErlangGenerator(description).files()[0].text
        #expect(erlang.contains("payload(#plain{} = M) -> ") && erlang.contains("message(cs, 1, B, E) -> "))
        let lua = WiresharkGenerator(description).files()[0].text
        #expect(!lua.contains("header_numbers") && lua.contains("local function read_fields(reader, tree, fields)\n"))
    }
}
