// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Changes of layers, `packets` and `opaque`, which packets with made-up keys show.
struct LayerCompatibilityTests {
    private static let messages = """
         @id(1) @from(client) message Ask { @rest string text; } @id(2) @from(server) message Answer { @rest string text; }
        """

    private static func schema(_ lines: String, _ options: String = "") -> String {
        options + "packet { @length(packet) uint32 size; uint8 form; @id uint16 id; \(lines) }" + messages
    }

    private static let breaks = "LAYER_SAME packet: old refuses, new refuses"
    private static let onlyCode = "LAYER_SAME packet: old reads, new reads"

    @Test(arguments: [
        ("layer zlib;", "layer zlib;", []),
        ("layer zlib;", "layer deflate;", [breaks]),
        ("layer xor(session);", "layer rc4(session);", [breaks]),
        ("", "layer zlib;", [breaks]),
        ("layer zlib;", "", [breaks]),
        ("", "layer xor(session);", ["LAYER_SAME packet: old misreads, new misreads"]),
        ("layer rc4(session); layer zlib;", "layer zlib; layer rc4(session);", [breaks]),
        ("layer custom(a); layer custom(b);", "layer custom(b); layer custom(a);", [breaks]),
        ("layer aes_ctr(key, iv);", "layer aes_cbc(key, iv);", [breaks]),
        // Two keys that have changed their places are other keys, not other names.
        ("layer xor(a); layer rc4(b);", "layer xor(b); layer rc4(a);", [breaks]),
        // The names of keys and transforms are code.
        ("layer xor(session);", "layer xor(key);", [onlyCode]),
        ("layer custom(session);", "layer custom(other);", [onlyCode]),
        ("layer aes_cbc(key, iv);", "layer aes_cbc(secret, iv);", [onlyCode]),
    ])
    func `a change of layers is shown with sealed packets`(old: String, new: String, expected: [String]) throws {
        #expect(try verdicts(Self.schema(old), Self.schema(new)) == expected)
    }

    @Test(arguments: [
        ("@if(form == 1) layer zlib;", "@if(form == 2) layer zlib;", [breaks]),
        // Only a packet with another number than those of the other version shows these.
        ("@if(form == 1) layer zlib;", "@if(form) layer zlib;", [breaks]),
        ("@if(form == 1) layer zlib;", "@if(form == 1 or form == 200) layer zlib;", [breaks]),
        ("@if(form > 3 and form < 9) layer zlib;", "@if(form > 3 and form < 8) layer zlib;", [breaks]),
        ("@if(form == 1) layer zlib;", "layer zlib;", [breaks]),
        ("@if(sender == client) layer zlib;", "layer zlib;", [breaks]),
        // The same condition, said in another way.
        ("@if(form) layer zlib;", "@if(form != 0) layer zlib;", [onlyCode]),
    ])
    func `a change of conditions is tried with headers for which they differ`(
        old: String, new: String, expected: [String]
    ) throws {
        #expect(try verdicts(Self.schema(old), Self.schema(new)) == expected)
    }

    @Test func `a header field with another name is the same in the conditions of layers`() throws {
        let old = Self.schema("@if(form == 1) layer zlib; @if(form == 1) packets;")
        let renamed = old.replacing("form", with: "shape")
        #expect(try verdicts(old, renamed) == ["HEADER_SAME_NAME packet.shape: old reads, new reads"])
    }

    @Test func `a layer in another place has another content`() throws {
        let packet = "packet { @length(packet) uint32 size; layer xor(session); @id uint16 id; } " + Self.messages
        let moved = "packet { @length(packet) uint32 size; @id uint16 id; layer xor(session); } " + Self.messages
        #expect(try verdicts(packet, moved) == ["LAYER_SAME packet: old does not know, new does not know"])
    }

    @Test(arguments: [
        ("@if(form == 1) packets;", "", ["LAYER_SAME packet: old does not know, new misreads"]),
        ("", "@if(form == 1) packets;", ["LAYER_SAME packet: old misreads, new does not know"]),
        (
            "@if(form == 1) packets;", "@if(form == 2) packets;",
            ["LAYER_SAME packet: old does not know, new does not know"]
        ),
        ("@if(form == 1) packets;", "@if(form == 1 and form) packets;", [onlyCode]),
        ("@if(form == 1) opaque;", "", ["LAYER_SAME packet: old does not know, new misreads"]),
        ("", "@if(form == 1) opaque;", ["LAYER_SAME packet: old misreads, new does not know"]),
        ("@if(form == 1) opaque;", "@if(form == 1) opaque;", []),
    ])
    func `packets and parts that only one version takes for such are exchanged`(
        old: String, new: String, expected: [String]
    ) throws {
        #expect(try verdicts(Self.schema(old), Self.schema(new)) == expected)
    }

    @Test(arguments: [
        "@if(form == 1) layer zlib;", "@if(form == 1) layer zlib; @if(form == 1) packets;",
        "layer rc4(session); layer gzip;",
    ])
    func `a smaller max_inflated refuses contents that were allowed`(lines: String) throws {
        let more = Self.schema(lines, "option max_packet = 4096; option max_inflated = 16384; ")
        let less = Self.schema(lines, "option max_packet = 4096; option max_inflated = 8192; ")
        #expect(
            try verdicts(more, less) == ["MAX_INFLATED_NO_SHRINK option max_inflated: old reads, new refuses"])
        #expect(
            try verdicts(less, more) == ["MAX_INFLATED_NO_SHRINK option max_inflated: old refuses, new reads"])
    }

    @Test func `a limit that no message reaches breaks nobody`() throws {
        func schema(_ limit: Int) -> String {
            "option max_packet = 4096; option max_inflated = \(limit); "
                + "packet { @length(packet) uint32 size; layer zlib; @id uint16 id; } message Cs_1 { uint8 a; }"
        }
        #expect(
            try verdicts(schema(16384), schema(8192)) == [
                "MAX_INFLATED_NO_SHRINK option max_inflated: old reads, new reads"
            ])
    }

    @Test func `the packet that is over a smaller limit is small`() throws {
        let lines = "@if(form == 1) layer zlib; @if(form == 1) packets;"
        let (old, new) = (Self.schema(lines), Self.schema(lines, "option max_inflated = 2097152; "))
        let changes = try describe(new).changes(since: describe(old))
        let failure = try #require(changes.first?.failures.first)
        #expect(changes.map(\.rule) == [.maximumInflated])
        #expect(failure.packet.count < 1 << 16)
        guard case .refused(let error) = failure.outcome else {
            Issue.record("\(failure.outcome)")
            return
        }
        #expect(error.reason == .inflatedTooLong(limit: 2_097_152) && error.path == "packet.zlib")
    }

    @Test(arguments: [4096, 1025])
    func `a packet can be too long although it is compressed`(limit: Int) throws {
        let (more, less) = ("option max_packet = \(limit); ", "option max_packet = 1024; ")
        #expect(
            try verdicts(Self.schema("layer zlib;", more), Self.schema("layer zlib;", less)) == [
                "MAX_PACKET_NO_SHRINK option max_packet: old reads, new refuses"
            ])
    }

    @Test func `a smaller max_nested refuses packets that stand deeper`() throws {
        let lines = "@if(form == 1) layer zlib; @if(form == 1) packets;"
        let (more, less) = (Self.schema(lines), Self.schema(lines, "option max_nested = 2; "))
        #expect(try verdicts(more, less) == ["MAX_DEPTH_NO_SHRINK option max_nested: old reads, new refuses"])
        #expect(try verdicts(less, more) == ["MAX_DEPTH_NO_SHRINK option max_nested: old refuses, new reads"])
    }

    @Test(arguments: ["layer rc4(session);", "@if(form == 1) layer zlib; @if(form == 1) packets;"])
    func `fields of messages are compared inside of layers`(lines: String) throws {
        let packet = "packet { @length(packet) uint32 size; uint8 form; @id uint16 id; \(lines) }"
        #expect(
            try verdicts(packet + "message Cs_1 { uint8 a; }", packet + "message Cs_1 { uint16 a; }") == [
                "FIELD_SAME_TYPE Cs_1.a: old misreads, new refuses"
            ])
    }

    // MARK: States

    private static func keyed(_ condition: String, _ attribute: String, state: String = "keyed") -> String {
        """
        packet { state uint8 \(state); @length(packet) uint16 size; @if(\(condition)) layer xor(session); @id uint16 id; }
        @id(1) @from(server) \(attribute) message Key { uint8 a; }
        @id(2) @from(both) message Say { uint8 a; }
        """
    }

    @Test(arguments: [
        (keyed("keyed", "@sets(keyed)"), keyed("keyed", ""), ["STATE_SAME Key: old does not know, new does not know"]),
        (keyed("keyed", "@sets(keyed)"), keyed("keyed", "@sets(keyed = 2)"), ["STATE_SAME Key: old reads, new reads"]),
        (
            keyed("keyed", "@sets(keyed)"), keyed("secret", "@sets(secret)", state: "secret"),
            ["STATE_SAME state secret: old reads, new reads"]
        ),
        (
            keyed("keyed == 1", "@sets(keyed)"), keyed("keyed == 2", "@sets(keyed)"),
            ["LAYER_SAME packet: old does not know, new does not know"]
        ),
        (keyed("keyed", "@sets(keyed)"), keyed("keyed > 0", "@sets(keyed)"), [onlyCode]),
    ])
    func `states that decide about layers are compared with packets in these states`(
        old: String, new: String, expected: [String]
    ) throws {
        #expect(try verdicts(old, new) == expected)
    }
}
