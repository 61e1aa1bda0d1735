// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLanguage
import WirelineSchema

/// The form of the page, in which each value of a message has a field.
@Suite(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)), .aside)
struct PacketPageFormTests {
    @Test(arguments: Depth.isDeep ? AdapterSamples.folders.map(\.name) : PacketPageTests.names)
    func `values that are entered into the form have the bytes of Swift`(_ name: String) throws {
        let folder = try #require(AdapterSamples.folders.first { $0.name == name })
        let cases = try AdapterCases(translator: folder.translator, folder: folder).values()
        // The vectors come first; each one is a message and its packet.
        let count = 2 * folder.vectors(.exact).count + 20
        let exam = Exam(Array(cases.prefix(count)))
        let description = folder.translator.description
        let script = PageUser.answering(
            exam.input, isFramed: description.layout.framing != nil,
            writing: """
                try {
                    fillForm(from, state, line);
                } catch (error) {
                    if (!(error instanceof NotInForms)) { throw error; }
                    fillStates(get("fields"), state);
                    put("json", text.slice(text.indexOf('"line":') + 7, -1));
                }
                """)
        let lines = try FramedPage.lines(of: HTMLGenerator(description).files()[0].text, script)
        let disagreements = try exam.faults(lines.joined(separator: "\n"))
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    private static let schema = """
        // <img src=x onerror=document.title=1> & "quotes"
        enum Color : uint8 { red = 1; green = 2; }
        @closed enum Strict : uint8 { one = 1; two = 2; }
        flags Rights : uint8 { mute = 1; ban = 2; mixed = 6; }
        struct Item { uint16 id; string name; }
        union Shape : uint8 sized(uint8) { 1: uint16 circle; 2: Item item; 3: nothing; default: bytes other; }
        // </script><script>document.title = 1</script> ]]>
        message Sc_1 {
            uint64 user; // <b>who</b> & ]]> it is
            @range(-5..500) int16 score;
            Color color; Strict strict; Rights rights;
            Item[] items; bytes raw; bool yes; float32 rate; uint8[4] four; string[] texts; Shape shape;
            optional string note;
        }
        """

    private static func lines(_ script: String, on page: String? = nil) throws -> [String] {
        try FramedPage.lines(of: page ?? PageUser.page(schema), PageUser.script + "\n" + script)
    }

    @Test func `a fault stands at its field, and the field can be reached from it`() throws {
        let lines = try Self.lines(
            """
            const score = () => box("Sc_1.score");
            type(score(), "501"); say(fault("Sc_1.score") + ", " + get("outcome").textContent + ", " + score().getAttribute("aria-invalid"));
            say(score().getAttribute("aria-describedby").split(" ").map((id) => get(id).textContent).join(" / "));
            get("jump").click(); say(d.activeElement === score());
            type(score(), "many"); say(fault("Sc_1.score") + ", " + get("digits").hidden + ", " + fields().score);
            type(score(), "0x10"); say(fault("Sc_1.score") + fields().score + get("jump").hidden + score().hasAttribute("aria-invalid"));
            type(box("Sc_1.raw"), "0g"); say(fault("Sc_1.raw"));
            type(box("Sc_1.raw"), "0xc3, a9"); say(fault("Sc_1.raw") + fields().raw);
            type(box("Sc_1.rate"), "-0"); say(digitsOf("Sc_1.rate").textContent);
            type(box("Sc_1.rate"), "fast"); say(fault("Sc_1.rate"));
            type(box("Sc_1.rate"), "NaN"); say(fields().rate + digitsOf("Sc_1.rate").textContent);
            type(box("Sc_1.items[1].id"), "65536"); say(fault("Sc_1.items[1].id") + fault("Sc_1.items[1]") + get("outcome").textContent);
            """)
        #expect(
            lines == [
                "out of range, Sc_1.score: out of range, true", "int16; -5 to 500 / out of range", "true",
                "not a whole number, true, 501", "16truefalse", "not hexadecimal digits of whole bytes", "w6k=",
                "80000000", "not a number", "NaN7fc00000", "out of rangeSc_1.items[1].id: out of range",
            ])
    }

    @Test func `each kind of field has a control for all of its values`() throws {
        let lines = try Self.lines(
            """
            const options = (path) => [...box(path).options].map((option) => option.textContent).join(", ");
            say(options("Sc_1.color") + " / " + options("Sc_1.strict") + " / " + options("Sc_1.shape"));
            const number = () => own(field("Sc_1.color"), "input")[0];
            say(number().hidden); type(box("Sc_1.color"), ""); say(number().value + number().hidden);
            type(number(), "77"); say(fields().color); type(box("Sc_1.color"), "red"); say(fields().color + number().hidden);
            const flags = () => own(field("Sc_1.rights"), "input");
            flags().slice(0, 3).forEach((flag) => tick(flag, false)); say(JSON.stringify(fields().rights) + flags()[3].value);
            tick(flags()[1], true); type(flags()[3], "4"); say(JSON.stringify(fields().rights) + flags()[2].checked);
            type(flags()[3], "128"); say(JSON.stringify(fields().rights) + digitsOf("Sc_1.rights").textContent);
            type(box("Sc_1.user"), "18446744073709551615"); say(fields().user + digitsOf("Sc_1.user").textContent);
            for (const arm of ["nothing", "item", "other"]) { type(box("Sc_1.shape"), arm); say(JSON.stringify(fields().shape)); }
            type(box("Sc_1.shape.other.tag"), "9"); type(box("Sc_1.shape.other.bytes"), "01 02"); say(JSON.stringify(fields().shape) + get("digits").hidden);
            const note = () => own(field("Sc_1.note"), ".switch")[0];
            tick(note(), false); say(String(fields().note) + own(field("Sc_1.note"), "textarea").length); tick(note(), true); say(JSON.stringify(fields().note));
            say(buttons("Sc_1.four").length);
            """)
        #expect(
            lines == [
                "red (1), green (2), another number / one (1), two (2) / circle, item, nothing, other", "true",
                "2false",
                "77", "redtrue", "[4]4", #"["ban","mixed"]true"#, #"["ban","mixed",128]86"#,
                "18446744073709551615ffffffffffffffff", #"{"nothing":null}"#, #"{"item":{"id":0,"name":""}}"#,
                #"{"other":{"tag":0,"bytes":""}}"#, #"{"other":{"tag":9,"bytes":"AQI="}}false"#, "undefined0", "\"\"",
                "0",
            ])
    }

    @Test func `lists grow and shrink with the keyboard, and every control has a name`() throws {
        let lines = try Self.lines(
            """
            const press = (element, key) => element.dispatchEvent(new w.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            type(box("Sc_1.score"), "16"); press(box("Sc_1.score"), "ArrowUp"); say(box("Sc_1.score").value + fields().score);
            press(box("Sc_1.score"), "ArrowDown"); say(fields().score);
            buttons("Sc_1.texts").at(-1).click(); say(fields().texts.length); say(d.activeElement === box("Sc_1.texts[2]"));
            type(box("Sc_1.texts[2]"), "é"); buttons("Sc_1.texts")[0].click();
            say(JSON.stringify(fields().texts)); say(d.activeElement === box("Sc_1.texts[0]"));
            buttons("Sc_1.items").at(-1).click(); say(JSON.stringify(fields().items[2])); say(d.activeElement === box("Sc_1.items[2].id"));
            const focused = box("Sc_1.shape"); focused.focus(); type(focused, "nothing"); say(d.activeElement === box("Sc_1.shape"));
            own(field("Sc_1.note"), ".switch")[0].focus(); own(field("Sc_1.note"), ".switch")[0].click(); say(d.activeElement.getAttribute("aria-label"));
            const nameOf = (control) => control.getAttribute("aria-label") || (control.labels || []).length === 1 && control.labels[0].textContent || control.tagName === "BUTTON" && control.textContent;
            const controls = [...get("try").querySelectorAll("input, select, textarea, button")];
            say(controls.length > 30); say(controls.filter((control) => !nameOf(control)).length);
            say(controls.filter((control) => control.tabIndex !== 0).length);
            say([...get("fields").querySelectorAll("fieldset")].filter((group) => group.firstElementChild.tagName !== "LEGEND").length);
            """)
        #expect(
            lines == [
                "1717", "16", "3", "true", "[\"north\",\"é\"]", "true", #"{"id":0,"name":""}"#, "true", "true",
                "note is set", "true", "0", "0", "0",
            ])
    }

    @Test func `the form, the JSON and the bytes are one message`() throws {
        let lines = try Self.lines(
            """
            put("json", get("json").value.replace('"hello"', '"bye"')); say(box("Sc_1.items[0].name").value);
            say(digitsOf("Sc_1.items[0].name").textContent + " = " + own(field("Sc_1.items[0].name"), ".own")[0].textContent);
            put("json", get("json").value.replace(/"score": [0-9]+/, '"score": "x"')); say(fault("Sc_1.score") + field("Sc_1.score").querySelector("button").textContent);
            field("Sc_1.score").querySelector("button").click(); say(fields().score); say(d.activeElement === box("Sc_1.score"));
            put("json", "{"); say(get("outcome").className + get("digits").hidden + box("Sc_1.score").value);
            type(box("Sc_1.score"), "3"); say(fields().score);
            const before = get("digits").textContent; get("use").click(); say(get("bytes").value === before);
            paste("server", before.replace("627965", "62796521".slice(0, 6)) + "0000000600ff"); say(box("Sc_1.items[0].name").value + packets().length);
            packets()[1].querySelector("button").click(); say(get("message").value + box("id").value + own(field("payload"), "textarea").length);
            type(box("payload"), "ab cd"); say(get("digits").textContent); say(JSON.parse(get("json").value).header.length);
            put("message", "Sc_1"); over(box("Sc_1.score")); say(marked());
            over(digitsOf("Sc_1.items[0].name")); say(marked());
            over(field("Sc_1.items[0]")); say(marked());
            box("Sc_1.yes").focus(); say(marked());
            digitsOf("Sc_1.items[0].name").click(); say(d.activeElement === box("Sc_1.items[0].name"));
            [...get("written").querySelectorAll("button")].find((found) => found.textContent === "Sc_1.raw").click(); say(d.activeElement === box("Sc_1.raw"));
            """)
        #expect(
            lines == [
                "bye", "0003627965 = 00 03 62 79 65", "wrong kindSet score", "0", "true", "faulttrue0", "3", "true",
                "bye2", "2551", "0000000800ffabcd", "8",
                "DIV Sc_1.score, SPAN Sc_1.score, TR Sc_1.score",
                "DIV Sc_1.items[0].name, SPAN Sc_1.items[0].name, TR Sc_1.items[0].name",
                "FIELDSET Sc_1.items[0], SPAN Sc_1.items[0].id, SPAN Sc_1.items[0].name, TR Sc_1.items[0], "
                    + "TR Sc_1.items[0].id, TR Sc_1.items[0].name",
                "DIV Sc_1.yes, SPAN Sc_1.yes, TR Sc_1.yes", "true", "true",
            ])
    }

    @Test func `names, comments and values of any kind stay text`() throws {
        let lines = try Self.lines(
            """
            const evil = "<img src=x onerror=document.title=1>";
            type(box("Sc_1.items[0].name"), evil); get("use").click(); say(rows(packets()[0]).some((row) => row.includes(evil)));
            say(own(field("Sc_1.user"), ".hint")[0].textContent); say(d.title + d.querySelectorAll("img, #try script, #try b b").length);
            type(box("Sc_1.items[0].name"), "a\\nb\\u0000\\u2028"); say(digitsOf("Sc_1.items[0].name").textContent);
            put("json", get("json").value.replace(/"name": "a[^,}]*"/, '"name": "a\\\\rb"')); say(box("Sc_1.items[0].name").readOnly);
            """)
        #expect(
            lines == [
                "true", "uint64; 0 to 18446744073709551615; <b>who</b> & ]]> it is", "Test0", "0007610a6200e280a8",
                "true",
            ])
    }

    @Test func `a long list is shown in part, and all of it is written`() throws {
        let lines = try Self.lines(
            """
            const items = JSON.stringify(Array.from({ length: 20000 }, (_, id) => ({ id, name: "" })));
            put("json", get("json").value.replace(/"items": \\[[^\\]]*\\]/, '"items": ' + items));
            const shown = () => get("fields").querySelectorAll("[data-path]").length;
            const note = () => [...field("Sc_1.items").querySelectorAll("p.quiet")].at(-1);
            say(shown() + ", " + note().textContent); say(get("digits").textContent.length > 160000);
            note().querySelector("button").click(); say(shown() + ", " + note().textContent); say(d.activeElement === box("Sc_1.items[50].id"));
            type(box("Sc_1.items[99].id"), "7"); say(JSON.parse(get("json").value).fields.items[99].id);
            buttons("Sc_1.items").at(-1).click(); say(fields().items.length);
            """)
        #expect(
            lines == [
                "173, 19950 more items not shown. Show more", "true", "323, 19900 more items not shown. Show more",
                "true",
                "7", "20001",
            ])
    }

    @Test func `a message of thousands of fields has a form of the first ones, and of bytes after them`() throws {
        let fields = (0..<3_000).map { "uint8 field\($0);" }.joined(separator: "\n")
        let lines = try Self.lines(
            """
            const shown = () => get("fields").querySelectorAll("[data-path]").length;
            const first = shown(); buttonsOfMore()[0].click(); say(first + ", " + shown()); say(d.activeElement === box("Sc_1.field500"));
            function buttonsOfMore() { return [...get("fields").querySelectorAll("p.quiet button")]; }
            """, on: PageUser.page("message Sc_1 {\n\(fields)\n}"))
        #expect(lines == ["501, 1001", "true"])
    }

    /// The form and the tool take the same space in each page; tables of the schema come on top.
    @Test func `the program of a page takes less than 50 kilobytes`() throws {
        let page = try PageUser.page("message Sc_1 { uint8 a; }")
        let scripts = page.matches(of: /<script type="module">([\s\S]*?)<\/script>/).map { $0.1.utf8.count }
        #expect(scripts.count == 2)
        #expect(scripts[1] < 50_000, "\(scripts)")
    }

    @Test func `states can be chosen, are followed, and stand in the link`() throws {
        let page = try HTMLGenerator(ProtocolFolder.named("States").translator.description).files()[0].text
        let lines = try Self.lines(
            """
            const before = get("states");
            say(before.hidden); put("message", "Wide"); say(box("state.phase").value + " " + get("digits").textContent);
            put("message", "Note"); type(box("state.level"), "5"); put("sender", "client"); say(get("digits").textContent);
            put("sender", "server"); say(get("digits").textContent);
            type(box("state.level"), "40000"); say(fault("state.level")); type(box("state.level"), "5");
            get("use").click(); say(box("state.level", before).value + get("link").getAttribute("href"));
            type(box("state.level", before), "0"); paste("server", "0b57495245020000034c696e03010500");
            say(packets().map((packet) => title(packet) + ": " + packet.querySelector(".quiet").textContent).join(" / "));
            packets()[1].querySelector("button").click(); say(box("state.phase").value + get("digits").textContent);
            """, on: page)
        #expect(
            lines == [
                "false", "play 03010500", "0f5749524505000000000000034c696e", "0b57495245050000034c696e",
                "out of range",
                "5#from=server&state.level=5&bytes=0b57495245050000034c696e",
                "Welcome: ID 2, 12 bytes, then the states are phase: play / Wide: ID 261, 4 bytes, at byte 12",
                "play03010500",
            ])
        // Inserted before the page's policy, which forbids other scripts.
        let script =
            "<head><script>history.replaceState(null, '', '#from=server&state.phase=2&bytes=03010500')</script>"
        let outcome = try ChromiumTool.load(page.replacing("<head>", with: script))
        #expect(outcome.console == [])
        #expect(outcome.value.contains("ID 261, 4 bytes") && outcome.value.contains("4 bytes, 1 packet"))
    }
}
