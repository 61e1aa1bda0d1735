// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLanguage
import WirelineSchema

/// What a user does in the page of a protocol with layers, for ``FramedPage``.
enum LayeredPageUser {
    /// Enters keys, and reads what is shown of opened packets.
    static let script =
        PageUser.script + "\n"
            + #"""
            const key = (name, text) => type(box("key." + name, get("keys")), text);
            const keyFault = (name) => own(field("key." + name, get("keys")), ".fault")[0].textContent;

            // The parts of an element, from the outside to the inside: rows, the heads of layers, and packets in a packet.
            const parts = (element) => [...element.children].flatMap((part) => {
                if (part.tagName === "TABLE") { return rows(part); }
                if (part.tagName === "FIELDSET") { return ["[" + part.firstElementChild.textContent + "]", ...parts(part)]; }
                if (part.tagName === "SECTION") { return [title(part) + ", " + part.querySelector(".quiet").textContent, ...parts(part)]; }
                return part.className === "fault" ? [part.textContent] : [];
            });
            const outer = () => packets().filter((packet) => packet.parentElement.id === "packets");

            // Whether each table shows all bytes of the packet or the layer that it stands for, once.
            const isWhole = (section, byteCount) => [...section.children].every((part) => {
                if (part.tagName !== "TABLE" && part.tagName !== "FIELDSET") { return true; }
                const inside = part.tagName === "TABLE" ? undefined : /hold (\d+) bytes?$/.exec(part.firstElementChild.textContent);
                if (inside === null) { return parts(part).length > 0 || part.querySelector("section") === null; }
                const shown = rows(part).map((row) => row.split("|")[1]).join("").replace(/ /g, "");
                return shown.includes("…") || shown.length === 2 * (inside === undefined ? byteCount : Number(inside[1]));
            });
            """#

    /// Answers the questions of an adapter with what the page shows, for ``LayeredCases``.
    static func answering(_ input: String, isFramed: Bool) -> String {
        let encoded = Data(input.utf8).base64EncodedString()
        return """
            \(script)
            \(PageUser.filling)
            const failure = (text) => {
                const [, , field, words, , offset] = /^(([^ :]+): )?([a-z0-9 ]+?)( at offset (\\d+))?(: .*)?$/.exec(text);
                const members = { reply: "error", error: words.replace(/ /g, "_") };
                if (members.error === "layer_unavailable" && /: this browser does not have brotli$/.test(text)) { return { reply: "skip" }; }
                if (field !== undefined) { members.field = field; }
                if (offset !== undefined) { members.offset = Number(offset); }
                return members;
            };
            let known = "{}";
            const answer = async (text) => {
                const { ask, from, hex, state, keys } = JSON.parse(text);
                if (JSON.stringify(keys) !== known) { for (const [name, digits] of Object.entries(keys)) { key(name, digits); } }
                known = JSON.stringify(keys);
                if (ask === "encode") {
                    put("sender", from);
                    fillStates(get("fields"), state);
                    put("json", text.slice(text.indexOf('"line":') + 7, -1));
                    await idle();
                    return get("digits").hidden ? failure(get("outcome").textContent) : { reply: "ok", hex: get("digits").textContent };
                }
                fillStates(get("states"), state);
                get("sender").value = from;
                put("bytes", hex);
                await idle();
                const [first] = outer();
                if (first === undefined || title(first) === "incomplete packet") { return { reply: "more" }; }
                const [fault] = [...first.children].filter((part) => part.className === "fault");
                if (fault !== undefined) { return failure(fault.textContent); }
                const count = Number(/([0-9]+) bytes?/.exec(first.querySelector(".quiet").textContent)[1]);
                if (!\(isFramed) && !isWhole(first, count)) { return { reply: "not all bytes" }; }
                return { reply: "ok", count, line: get("json").value.replace(/\\n */g, "") };
            };
            const input = new TextDecoder().decode(Uint8Array.from(atob("\(encoded)"), (c) => c.charCodeAt(0)));
            for (const [id, text] of input.trim().split("\\n").entries()) {
                const { line, ...members } = await answer(text);
                const start = JSON.stringify({ id, ...members });
                const all = line === undefined ? start : start.slice(0, -1) + ',"line":' + line + "}";
                say(all.replace(/[^ -~]/g, (unit) => "\\\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")));
            }
            """
    }

    /// Answers the questions with the page of a protocol.
    static func run(_ input: String, _ sample: LayeredProtocol) throws -> String {
        let description = try sample.translator().description
        let script = answering(input, isFramed: description.layout.framing != nil)
        return try FramedPage.lines(of: HTMLGenerator(description).files()[0].text, script).joined(separator: "\n")
    }
}
