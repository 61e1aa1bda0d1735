// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The page of a protocol with layers, which opens and seals packets.
@Suite(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)), .aside)
struct LayeredPageTests {
    private static let samples = LayeredProtocol.all + LayeredProtocol.random.prefix(2)

    /// This browser does not have Brotli.
    private static func faults(
        _ sample: LayeredProtocol, _ cases: (LayeredCases) throws -> [AdapterCase]
    ) throws -> [String] {
        let exam = try Exam(cases(LayeredCases(sample, missing: ["brotli"])))
        return try exam.faults(LayeredPageUser.run(exam.input, sample))
    }

    @Test(arguments: samples)
    func `the page opens what Swift seals, and seals what Swift opens`(sample: LayeredProtocol) throws {
        let faults = try Self.faults(sample) { try $0.exchanges() }
        #expect(faults == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: samples)
    func `the page gives Swift's verdict on cut and damaged packets`(sample: LayeredProtocol) throws {
        let faults = try Self.faults(sample) { try $0.verdicts(count: Depth.rounds(30)) }
        #expect(faults == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: ProtocolFolder.all.filter(\.hasLayers).map(\.name))
    func `the page gives Swift's verdict on all vectors`(_ name: String) throws {
        let folder = try ProtocolFolder.named(name)
        // The JSON of a packet that this browser cannot open names the transform.
        let vectors = try Vector.Kind.allCases.flatMap(folder.vectors).filter {
            try $0.kind == .invalid || !"\($0.line())".contains("\"brotli\"")
        }
        let sample = try #require(LayeredProtocol.all.first { $0.name == name })
        let faults = try Self.faults(sample) { cases in
            cases.verdicts(on: try vectors.map { (try $0.bytes(), try $0.context()) })
        }
        #expect(vectors.count > 5)
        #expect(faults == [])
    }

    @Test func `the page refuses a packet in a packet with the same keystream, as Swift does`() throws {
        let faults = try Self.faults(.ciphers) { try $0.nestedKeystream() }
        #expect(faults == [])
    }

    // MARK: What a user sees

    private static func lines(_ sample: LayeredProtocol, _ script: String) throws -> [String] {
        let page = try HTMLGenerator(sample.translator().description).files()[0].text
        return try FramedPage.lines(of: page, LayeredPageUser.script + "\n" + script)
    }

    private static func folder(_ name: String) throws -> LayeredProtocol {
        try #require(LayeredProtocol.all.first { $0.name == name })
    }

    @Test func `a layer is shown with what it holds, and packets in a packet one by one`() throws {
        let packet =
            "00000048001000020000000500000000" + "78da6360605063106060626060600562868a5bc90909024902090c8c610a69eb"
            + "d7b13230cf6654074a0801553140557154d70200d6ad07c1"
        let lines = try Self.lines(
            .bilibili,
            """
            say(get("keys") === null);
            paste("server", "\(packet)"); await idle();
            const [first] = outer(), shown = parts(first), inner = [...first.querySelectorAll("section")];
            say(title(first) + ", " + isWhole(first, 72)); shown.slice(3).forEach((part) => say(part.slice(0, 40)));
            say(get("fields").textContent.includes("2 packets in this packet"));
            put("json", get("json").value.replace('"{}"', '"ok"')); await idle();
            const sealed = get("digits").textContent; get("use").click(); await idle();
            say(get("bytes").value === sealed && sealed !== "\(packet)"); say(parts(outer()[0]).filter((part) => part.includes("Body")).join(" / "));
            outer()[0].querySelectorAll("section button")[2].click(); await idle(); say(get("message").value + " " + get("digits").textContent);
            """)
        #expect(
            lines == [
                "true", "2 packets in a packet, true", #"8|00 00 00 05|Operation|5"#, "12|00 00 00 00|Sequence|0",
                "16|78 da 63 60 60 50 63 10 60 60 62 60 6", "[zlib: 56 bytes hold 56 bytes]",
                "0|00 00 00 26 00 10 00 02 00 00 00 05 00", "[Packets in this packet]",
                "1 packet in a packet, ID 5, 38 bytes", "0|00 00 00 26|PacketLength|38", "4|00 10|HeaderLength|16",
                #"6|00 02|Version|"zlib""#, "8|00 00 00 05|Operation|5", "12|00 00 00 00|Sequence|0",
                "16|78 da 63 60 60 10 62 10 60 00 01 56 2", "[zlib: 22 bytes hold 18 bytes]",
                "0|00 00 00 12 00 10 00 00 00 00 00 05 00", "[Packets in this packet]", "Notification, ID 5, 18 bytes",
                "0|00 00 00 12|PacketLength|18", "4|00 10|HeaderLength|16", #"6|00 00|Version|"json""#,
                "8|00 00 00 05|Operation|5", "12|00 00 00 07|Sequence|7", #"16|7b 7d|Notification.Body|"{}""#,
                "Notification, ID 5, 18 bytes, at byte 38", "0|00 00 00 12|PacketLength|18",
                "4|00 10|HeaderLength|16", #"6|00 00|Version|"json""#, "8|00 00 00 05|Operation|5",
                "12|00 00 00 08|Sequence|8", #"16|7b 7d|Notification.Body|"{}""#, "true", "true",
                #"16|6f 6b|Notification.Body|"ok" / 16|7b 7d|Notification.Body|"{}""#,
                "Notification 000000120010000000000005000000076f6b",
            ])
    }

    @Test func `keys have fields, faults stand there, and links have none`() throws {
        let vector = try #require(
            ProtocolFolder.named("KeyedGame").vectors(.exact).first { $0.name == "KeyedGame/login" })
        let packet = Hexadecimal.text(of: try vector.bytes())
        let lines = try Self.lines(
            Self.folder("KeyedGame"),
            """
            say(box("key.session", get("keys")).labels[0].textContent + box("key.session", get("keys")).autocomplete);
            tick(box("state.keyed", get("states")), true); paste("client", "\(packet)"); await idle();
            say(parts(outer()[0]).filter((part) => part.includes("unavailable")).map((part) => part.replace(/\\|.*\\|/, " ")).join(" / "));
            key("session", "0"); say(keyFault("session")); say(get("summary").textContent); say(box("key.session", get("keys")).getAttribute("aria-invalid"));
            key("session", "00".repeat(65537)); say(keyFault("session"));
            key("session", "0x5a17c300 4e99f120 7be6d488 313cafe5"); await idle(); say(keyFault("session") + get("summary").textContent);
            say(parts(outer()[0]).filter((part) => /^\\[|opcode|account/.test(part)).map((part) => part.replace(/\\|.*\\|Login/, " Login")).join(" / "));
            say(get("link").hash.length); say(get("link").hash.startsWith("#from=client&state.keyed=1&bytes=3800"));
            type(box("Login.account"), "saruman"); await idle(); say(own(field("Login.account"), ".own")[0].textContent);
            key("session", ""); await idle(); say(get("outcome").textContent + keyFault("session"));
            say(Object.keys({ ...w.localStorage, ...w.sessionStorage }).length + w.document.cookie);
            """)
        #expect(
            lines == [
                "sessionoff",
                "packet.session: layer unavailable: it needs the key session / 2 layer unavailable",
                "not hexadecimal digits of whole bytes", "key.session: not hexadecimal digits of whole bytes", "true",
                "65537 bytes: the key has 1 to 65536 bytes", "56 bytes, 1 packet",
                "[xor(session): 54 bytes hold 54 bytes] / 0|65 00|opcode|101 / 2 Login.account|\"gandalf\"",
                "145", "true", "73 61 72 75 6d 61 6e 00 …",
                "Login.packet.session: layer unavailable: it needs the key session",
                "0",
            ])
    }

    @Test func `packets that are pasted together share their keystreams, and each AES key has its sizes`() throws {
        let translator = try LayeredProtocol.ciphers.translator()
        var sealer = translator.makeSealer(from: .client)
        let line = try JSONValue(
            parsing: #"{"message":"Say","header":{"streamed":true,"blocks":true},"fields":{"text":"hi"}}"#)
        let stream = try (0..<3).map { _ in
            let draft = try translator.draft(of: line, from: .client, states: PacketStates())
            return Hexadecimal.text(of: try translator.encode(draft, with: &sealer))
        }
        let keys = LayeredProtocol.ciphers.keys.map { "key(\"\($0.key)\", \"\($0.value)\");" }.joined()
        let lines = try Self.lines(
            .ciphers,
            """
            key("counterKey", "00".repeat(17)); say(keyFault("counterKey")); key("counterStart", "00"); say(keyFault("counterStart"));
            \(keys) await idle();
            paste("client", "\(stream.joined())"); await idle();
            say(outer().map((packet) => parts(packet).filter((part) => part.includes("Say.text")).join()).join(" / "));
            paste("client", "\(stream[1])"); await idle(); say(title(outer()[0]));
            say(get("keys").textContent.includes("each keystream begins with the first one"));
            """)
        #expect(
            lines == [
                "17 bytes: the key has 16, 24 or 32 bytes", "1 byte: the key has 16 bytes",
                #"3|00 02 68 69|Say.text|"hi" / 3|00 02 68 69|Say.text|"hi" / 3|00 02 68 69|Say.text|"hi""#,
                "no valid packet", "true",
            ])
    }

    @Test func `a threshold says from how many bytes on a message is compressed`() throws {
        let lines = try Self.lines(
            Self.folder("Minecraft"),
            """
            const threshold = (text) => type(box("threshold", get("keys")), text);
            put("message", "Chat"); tick(box("state.compressed"), true); type(box("Chat.text"), "a".repeat(60)); await idle();
            const plain = get("digits").textContent; say(plain.slice(0, 8));
            threshold("62"); await idle(); say(get("digits").textContent.slice(2, 6)); say(get("digits").textContent.length < plain.length);
            threshold("63"); await idle(); say(get("digits").textContent === plain);
            threshold("many"); await idle(); say(get("outcome").textContent);
            threshold(""); await idle(); say(get("digits").textContent === plain);
            threshold("0"); await idle(); get("use").click(); await idle(); say(parts(outer()[0]).filter((part) => part.startsWith("[")).join());
            """)
        #expect(
            lines == [
                "3f00033c", "3e78", "true", "true", "threshold: not a whole number",
                "true", "[zlib: 13 bytes hold 62 bytes]",
            ])
    }

    @Test func `a bomb is not held, and what a browser or a page does not have is said`() throws {
        let bomb = try #require(ProtocolFolder.named("Bilibili").vectors(.invalid).first { $0.name == "Bilibili/bomb" })
        let lines = try Self.lines(
            .bilibili,
            """
            paste("server", "\(Hexadecimal.text(of: bomb.bytes()))"); await idle(); say(outer()[0].querySelector(".fault").textContent);
            put("json", '{"message":null,"id":5,"header":{"Version":"zlib"},"packets":[' + '{"message":null,"id":5,"payload":""},'.repeat(3000).slice(0, -1) + ']}');
            await idle(); get("use").click(); await idle(); say([...outer()[0].querySelectorAll("fieldset > section")].length);
            say([...outer()[0].querySelectorAll("p.quiet")].at(-1).textContent);
            paste("server", "0000001100100003000000050000000006"); await idle(); say(outer()[0].querySelector(".fault").textContent);
            """)
        #expect(
            lines == [
                "packet.zlib: inflated too long", "200", "2800 more packets not shown.",
                "packet.brotli: layer unavailable: this browser does not have brotli",
            ])
        let custom = LayeredProtocol(
            name: "Custom",
            schema:
                "packet { @length(rest) uint8 size; layer custom(oodle); @id uint8 id; } @id(1) @from(both) message Say {}",
            packets: [])
        let words = try Self.lines(
            custom, "paste('client', '0101'); await idle(); say(outer()[0].querySelector('.fault').textContent);")
        #expect(words == ["packet.oodle: layer unavailable: only a program has it, and no page"])
    }

    @Test func `a page with layers loads nothing either, and its program takes less than 65 kilobytes`() throws {
        for sample in try [.ciphers, .bilibili, Self.folder("Minecraft")] {
            let page = try HTMLGenerator(sample.translator().description).files()[0].text
            #expect(
                page.contains(
                    "content=\"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-"))
            #expect(!page.contains(/connect-src|worker-src|unsafe-eval|wasm/))
            let scripts = page.matches(of: /<script type="module">([\s\S]*?)<\/script>/).map { $0.1.utf8.count }
            #expect(scripts.count == 2 && scripts[1] < 65_000, "\(scripts)")
            #expect(!page.contains(/[‹›«»]/))
            #expect(try ChromiumTool.load(page).console == [])
        }
    }
}
