// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLanguage
import WirelineSchema

/// Reading and writing packets in the page of a protocol.
@Suite(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)), .aside)
struct PacketPageTests {
    static let names = [
        "Features", "GT06", "HTTP2", "Headers", "MQTT", "PostgreSQL", "QSIOP", "Scene", "Senders", "Shapes",
        "States", "Telemetry",
    ]

    @Test(arguments: names)
    func `the page reads and writes what Swift does, and shows each byte once`(_ name: String) throws {
        let translator = try ProtocolFolder.named(name).translator
        let cases = AdapterCases(translator: translator, folder: try .named(name))
        var random = AdapterSamples.random
        let variants = try cases.variants().shuffled(using: &random).prefix(Depth.rounds(20))
        let exam = try Exam(cases.values() + variants)
        let description = translator.description
        let script = PageUser.answering(
            exam.input, isFramed: description.layout.framing != nil,
            writing: """
                put("sender", from);
                fillStates(get("fields"), state);
                put("json", text.slice(text.indexOf('"line":') + 7, -1));
                """)
        let lines = try FramedPage.lines(of: HTMLGenerator(description).files()[0].text, script)
        let disagreements = try exam.faults(lines.joined(separator: "\n"))
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test func `merged packets are shown one by one, and the last one waits for more bytes`() throws {
        let lines = try FramedPage.lines(
            of: HTMLGenerator(ProtocolFolder.named("Scene").translator.description).files()[0].text,
            """
            \(PageUser.script)
            paste("client", " 0000000F 4e21 01 00000002\\n 00026869 00000008 0007 abcd 000000");
            for (const packet of packets()) { say(packet.querySelector(".row").textContent + ": " + rows(packet).join(" / ")); }
            say(packets()[2].querySelector(".fault").textContent);
            say(get("summary").textContent);
            say(get("link").getAttribute("href"));
            paste("client", "AAAAD04hAQAAAAIAAmhp"); say(packets().map(title)); say(rows(packets()[0])[4]);
            paste("client", "0x00, 0x0"); say(get("summary").textContent + get("bytes").getAttribute("aria-invalid"));
            paste("client", "no bytes!"); say(get("summary").textContent);
            paste("server", "0000000f4e210100000002000268ff"); say(rows(packets()[0]).join(" / "));
            paste("server", "0000000c0007010203040506"); packets()[0].querySelector("button").click();
            say(get("json").value.replace(/\\n */g, "")); say(get("digits").textContent);
            put("json", get("json").value.replace("010203", "ffffff")); get("use").click(); say(get("bytes").value);
            put("json", "{"); say(get("digits").hidden); say(get("outcome").textContent !== "");
            """)
        #expect(
            lines == [
                "Cs_20001ID 20001, 15 bytesEdit: 0|00 00 00 0f|length|15 / 4|4e 21|id|20001 / 6|01|Cs_20001.SceneId|1 / "
                    + "7|00 00 00 02|Cs_20001.Line|2 / 11|00 02 68 69|Cs_20001.message|\"hi\"",
                "unknown messageID 7, 8 bytes, at byte 15Edit: 0|00 00 00 08|length|8 / 4|00 07|id|7 / 6|ab cd|payload|",
                "incomplete packet3 bytes, at byte 23: 0|00 00 00||not read",
                "More bytes are needed.", "26 bytes, 3 packets",
                "#from=client&bytes=0000000f4e2101000000020002686900000008 0007abcd000000".replacing(" ", with: ""),
                "Cs_20001", "11|00 02 68 69|Cs_20001.message|\"hi\"",
                "3 digits: a byte has twotrue", "neither hexadecimal digits nor Base64",
                "0|00 00 00 0f|length|15 / 4|4e 21|id|20001 / 6|01|Sc_20001.Res|1 / 7|00 00 00 02|Sc_20001.SceneId|2 / "
                    + "11|00|Sc_20001.Pos|0 / 12|02|Sc_20001.Status|2 / 13|68|Sc_20001.Type|104 / "
                    + "14|ff|Sc_20001.DefaultCombat|truncated",
                #"{"message": null,"id": 7,"header": {"length": 12,"id": 7},"payload": "010203040506"}"#,
                "0000000c0007010203040506", "0000000c0007ffffff040506", "true", "true",
            ])
    }

    /// If each value moved those before it, this would take minutes.
    @Test func `a packet of a million values is shown`() throws {
        let page = try PageUser.page("message Sc_1 { @rest uint8[] codes; }")
        let lines = try FramedPage.lines(
            of: page,
            """
            \(PageUser.script)
            paste("server", "000f42460001" + "07".repeat(1_000_000));
            say(packets().map(title)); say(rows(packets()[0])[2]);
            """)
        #expect(lines == ["Sc_1", "6||Sc_1.codes|1000000 items"])
    }

    @Test func `bytes can be a dump with offsets and letters`() throws {
        let dumps = [
            "00000000: 0000 000f 4e21 0100 0000 0200 0268 6900  ....N!.......hi.\\n00000010: 0000 08ab cd      .....",
            "00000000  00 00 00 0f 4e 21 01 00  00 00 02 00 02 68 69 00  |....N!.......hi.|\\n00000010  00 00 08 ab cd         |.....|\\n00000015\\n",
            "\\t0x0000:  0000 000f 4e21 0100 0000 0200 0268 6900  abcd\\n\\t0x0010:  0000 08ab cd",
            "0000000 00 00 00 0f 4e 21 01 00 00 00 02 00 02 68 69 00\\n0000020 00 00 08 ab cd\\n0000025\\n",
            "00000000  00 00 00 0f 4e 21 01 00 00  |....N!...|", "0000 000f\\n0004 4e21",
        ]
        let lines = try FramedPage.lines(
            of: HTMLGenerator(ProtocolFolder.named("Scene").translator.description).files()[0].text,
            "\(PageUser.script)\n" + dumps.map { "paste('client', '\($0)'); say(get('link').hash);" }.joined())
        let bytes = "#from=client&bytes=0000000f4e2101000000020002686900000008abcd"
        #expect(
            lines == [
                bytes, bytes, bytes, bytes, "#from=client&bytes=0000000f4e21010000",
                "#from=client&bytes=0000000f00044e21",
            ])
    }

    @Test func `64 bits are exact, enums have names, and a message of either side is written as its sender's`() throws {
        let page = try PageUser.page(
            """
            enum Color : uint8 { red = 1; }
            flags Rights : uint8 { mute = 1; ban = 2; }
            struct Item { uint16 id; string name; }
            message Sc_1 { uint64 user; int64 score; Color color; Rights rights; Item[] items; bytes raw; optional float32 rate; }
            """)
        let lines = try FramedPage.lines(
            of: page,
            """
            \(PageUser.script)
            put("sender", "client");
            put("json", '{"message":"Sc_1","fields":{"user":"18446744073709551615","score":-9007199254740993,"color":"red","rights":["ban",128],'
                + '"items":[{"id":7,"name":"é"}],"raw":"AQI=","rate":0.5}}');
            say(get("outcome").textContent);
            for (const row of rows(get("written"))) { say(row); }
            put("json", get("json").value.replace("18446744073709551615", "18446744073709551616")); say(get("outcome").textContent);
            """)
        #expect(
            lines == [
                "40 bytes, sent by the server", "0|00 00 00 28|length|40", "4|00 01|id|1",
                "6|ff ff ff ff ff ff ff ff|Sc_1.user|18446744073709551615",
                "14|ff df ff ff ff ff ff ff|Sc_1.score|-9007199254740993", "22|01|Sc_1.color|\"red\"",
                "23|82|Sc_1.rights|[\"ban\",128]", "24|00 01|Sc_1.items|1 item", "26||Sc_1.items[0]|",
                "26|00 07|Sc_1.items[0].id|7", "28|00 02 c3 a9|Sc_1.items[0].name|\"é\"",
                "32|00 02 01 02|Sc_1.raw|2 bytes",
                "36|3f 00 00 00|Sc_1.rate|0.5", "Sc_1.user: out of range",
            ])
    }

    @Test func `an example of each message can be tried, and a link opens with its bytes`() throws {
        let text = try HTMLGenerator(ProtocolFolder.named("Telemetry").translator.description).files()[0].text
        let lines = try FramedPage.lines(
            of: text,
            """
            \(PageUser.script)
            const examples = [...d.querySelectorAll("article")].filter((article) => article.querySelector("pre.digits") !== null);
            const wrong = examples.filter((article) => {
                article.querySelector("button").click();
                const name = article.id.replace("message-", ""), digits = article.querySelector("pre.digits").textContent;
                return title(packets()[0]) !== name || get("digits").textContent !== digits || get("message").value !== name;
            });
            say(examples.length > 5); say(wrong.length); say(d.activeElement.id);
            get("clear").click(); say(get("bytes").value + packets().length + get("digits").hidden);
            """)
        #expect(lines == ["true", "0", "bytes", "0true"])
        // Inserted before the page's policy, which forbids other scripts.
        let script = "<head><script>history.replaceState(null, '', '#from=server&bytes=0001')</script>"
        let outcome = try ChromiumTool.load(text.replacing("<head>", with: script))
        #expect(outcome.console == [])
        #expect(
            outcome.value.contains("#from=server&amp;bytes=0001") && outcome.value.contains("2 bytes, 1 packet"))
    }

    @Test func `a mebibyte of packets is shown in part`() throws {
        let lines = try FramedPage.lines(
            of: HTMLGenerator(ProtocolFolder.named("Scene").translator.description).files()[0].text,
            """
            \(PageUser.script)
            paste("client", "0000000f4e21010000000200026869".repeat(70000));
            say(packets().length); say(get("summary").textContent);
            """)
        #expect(lines == ["200", "1050000 bytes, 200 packets; 1047000 more bytes not shown"])
    }
}
