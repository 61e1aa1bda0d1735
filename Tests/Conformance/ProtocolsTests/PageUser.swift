// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineGenerator
import WirelineLanguage

/// What a user does in the page of a protocol, for ``FramedPage``.
enum PageUser {
    /// Returns the page of a schema.
    static func page(_ text: String) throws -> String {
        let file = SourceFile(path: "Test.wire", bytes: Array(text.utf8))
        let description = try #require(ProtocolDescription.check(name: "Test", files: [file]).description)
        return HTMLGenerator(description).files()[0].text
    }

    /// Types and chooses, and reads what is shown.
    static let script = #"""
        const get = (id) => d.getElementById(id);
        const tell = (box) => box.dispatchEvent(new w.Event(box.tagName === "SELECT" ? "change" : "input"));
        const put = (id, text) => { get(id).value = text; tell(get(id)); };
        const paste = (from, text) => { put("sender", from); put("bytes", text); };
        const packets = () => [...d.querySelectorAll("#packets .packet")];
        const rows = (element) => [...element.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent).join("|"));
        const title = (element) => element.querySelector(".row b").textContent;

        // A field, its parts, and those of them that belong to no field inside.
        const field = (path, area = get("fields")) => [...area.querySelectorAll("[data-path]")].find((found) => found.dataset.path === path);
        const own = (element, selector) => [...element.querySelectorAll(selector)].filter((found) => found.closest("[data-path]") === element);
        const type = (box, text) => { box.value = text; tell(box); };
        const tick = (box, isOn) => { if (box.checked !== isOn) { box.click(); } };
        const fault = (path) => { const [text] = own(field(path), ".fault"); return text.hidden ? "" : text.textContent; };
        const box = (path, area) => own(field(path, area), "input:not(.switch), textarea, select")[0];
        const fields = () => JSON.parse(get("json").value).fields;
        const marked = () => [...d.querySelectorAll(".marked")].map((found) => found.tagName + " " + found.dataset.path).join(", ");
        const over = (element) => element.dispatchEvent(new w.PointerEvent("pointerover", { bubbles: true }));
        const buttons = (path) => [...field(path).querySelectorAll("button")];
        const digitsOf = (path) => [...get("digits").querySelectorAll("span")].find((found) => found.dataset.path === path);
        const hexOf = (text) => [...w.atob(text)].map((unit) => unit.charCodeAt(0).toString(16).padStart(2, "0")).join(" ");
        """#

    /// Enters values into the form, control by control.
    static let filling = #"""
        const tables = w.wireline.tables;
        class NotInForms extends Error {}

        // Carriage returns, and other numbers than a closed enum has, are for the view of JSON.
        const enter = (box, text) => {
            if (box === undefined || text.includes("\r")) { throw new NotInForms(); }
            type(box, text);
        };

        const fill = (path, kind, value, options = {}) => {
            const area = options.area || get("fields");
            const shown = () => field(path, area);
            const [switched] = own(shown(), ".switch");
            if (value === undefined || value === null && kind !== null) {
                if (switched !== undefined) { tick(switched, false); }
                return;
            }
            if (switched !== undefined) { tick(switched, true); }
            const inputs = () => own(shown(), "input:not(.switch), textarea, select");
            if (kind === null) { return; }
            if (kind === "boolean") { tick(inputs()[0], Boolean(value)); return; }
            if (kind === "bytes") { enter(inputs()[0], options.isHex ? value : hexOf(value)); return; }
            if (kind === "kept") {
                fill(path + ".tag", options.union.tag, value.tag);
                fill(path + ".bytes", "bytes", value.bytes);
                return;
            }
            if (kind === "properties") {
                while (own(shown(), "button").length > 1) { own(shown(), "button")[0].click(); }
                Object.entries(value).forEach(([key, text], index) => {
                    own(shown(), "button").at(-1).click();
                    enter(inputs()[2 * index], key.replace("\ufdd0", ""));
                    enter(inputs()[2 * index + 1], text);
                });
                return;
            }
            // A number of JSON that is too large for a number is none of a form.
            if (typeof value === "number" && !Number.isFinite(value)) { throw new NotInForms(); }
            if (typeof kind === "string") { enter(inputs()[0], Object.is(value, -0) ? "-0" : String(value)); return; }
            if (kind.enum !== undefined) {
                const [select, number] = inputs();
                const known = tables.enumerations[kind.enum].cases.find((item) => item.name === value || String(item.value) === String(value));
                if (known !== undefined || [...select.options].some((option) => option.value === value)) { type(select, known.name); return; }
                if (number !== undefined) { type(select, ""); }
                enter(number, String(value));
                return;
            }
            if (kind.flags !== undefined) {
                const { cases } = tables.flags[kind.flags];
                const bits = value.reduce((sum, item) => sum | w.BigInt((cases.find((one) => one.name === item) || { value: item }).value), 0n);
                enter(inputs().at(-1), "0");
                cases.filter((one) => w.BigInt(one.value) !== 0n).forEach((one, index) => tick(inputs()[index], false));
                cases.filter((one) => w.BigInt(one.value) !== 0n).forEach((one, index) => {
                    const mask = w.BigInt(one.value);
                    if ((bits & mask) === mask) { tick(inputs()[index], true); }
                });
                const masks = cases.map((one) => w.BigInt(one.value)).filter((mask) => (bits & mask) === mask);
                const rest = bits & ~masks.reduce((sum, mask) => sum | mask, 0n);
                enter(inputs().at(-1), String(rest));
                return;
            }
            if (kind.list !== undefined) {
                const buttons = (label) => [...shown().querySelectorAll("button")].filter((one) => (one.getAttribute("aria-label") || "").startsWith(label));
                const name = shown().querySelector("legend").textContent;
                while (buttons("Remove " + name + "[0]").length > 0) { buttons("Remove " + name + "[0]")[0].click(); }
                value.forEach((item, index) => {
                    if (kind.count === undefined) { buttons("Add to " + name).at(-1).click(); }
                    fill(path + "[" + index + "]", kind.list, item);
                });
                return;
            }
            if (kind.structure !== undefined) {
                for (const one of tables.structures[kind.structure].fields) { fill(path + "." + one.name, one.type, value[one.name]); }
                return;
            }
            const [arm] = Object.keys(value), union = tables.unions[kind.union];
            type(inputs()[0], arm);
            fill(path + "." + arm, union.arms.find((one) => one.name === arm).type, value[arm], { union });
        };

        const fillStates = (area, states) => {
            for (const one of tables.states) {
                const number = (states || {})[one.name] || 0;
                fill("state." + one.name, one.type, one.type.flags === undefined ? number : [number], { area });
            }
        };

        const fillForm = (from, states, line) => {
            put("sender", from);
            const known = tables.messages.find((message) => message.name === line.message);
            put("message", known === undefined ? "" : known.name);
            fillStates(get("fields"), states);
            for (const one of tables.header.filter((one) => one.settable)) { fill("packet." + one.name, one.type, (line.header || {})[one.name]); }
            if (known === undefined) {
                fill("id", "integer", line.id);
                fill("payload", "bytes", line.payload, { isHex: true });
                return;
            }
            for (const one of known.fields) { fill(known.name + "." + one.name, one.type, line.fields[one.name]); }
            if (known.trailing) { fill("trailing", "bytes", line.trailing, { isHex: true }); }
        };
        """#

    /// Answers the questions of an adapter with what the page shows.
    ///
    /// - Parameter write: Statements that enter the message of the question `text`, which has the members `from`, `state` and `line`.
    static func answering(_ input: String, isFramed: Bool, writing write: String) -> String {
        let encoded = Data(input.utf8).base64EncodedString()
        return """
            \(script)
            \(filling)
            const isFramed = \(isFramed);
            const failure = (text) => {
                const [, , field, words, , offset] = /^(([^ :]+): )?([a-z0-9 ]+?)( at offset (\\d+))?$/.exec(text);
                const members = { reply: "error", error: words.replace(/ /g, "_"), field };
                if (offset !== undefined) { members.offset = Number(offset); }
                return members;
            };
            // The fault of a message is told at one of the fields.
            const told = () => {
                const found = failure(get("outcome").textContent);
                const shown = [...get("fields").querySelectorAll(".fault:not([hidden])")].map((one) => one.textContent.replace(/ /g, "_"));
                return shown.length === 1 && shown[0] === found.error || get("jump").hidden && shown.length === 0 ? found : { reply: "fault at " + shown.join() };
            };
            const answer = (text) => {
                // Members keep their order if none is a number, and integers beyond 53 bits stay exact.
                const ordered = text.replace(/"(?:[^"\\\\]|\\\\.)*"(:?)/g, (token, colon) => colon === "" ? token : token.replace(/^"(?=[0-9])/, '"\\ufdd0'));
                const { ask, from, hex, state, line } = JSON.parse(ordered, (key, value, { source }) => Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value);
                if (ask === "encode") {
                    \(write)
                    return get("digits").hidden ? told() : { reply: "ok", hex: get("digits").textContent };
                }
                fillStates(get("states"), state);
                paste(from, hex);
                const first = packets()[0];
                if (first === undefined || title(first) === "incomplete packet") { return { reply: "more" }; }
                if (first.querySelector(".fault") !== null) {
                    const told = failure(first.querySelector(".fault").textContent);
                    // The fault is one of the rows, at its offset.
                    const row = rows(first).find((row) => row.startsWith(told.offset + "|") && row.endsWith("|" + told.error.replace(/_/g, " ")));
                    return row === undefined ? { reply: "no row" } : told;
                }
                const count = Number(/([0-9]+) bytes?/.exec(first.querySelector(".quiet").textContent)[1]);
                const shown = rows(first).map((row) => row.split("|")[1]).join("").replace(/ /g, "");
                if (!shown.includes("…") && !isFramed && shown !== hex.slice(0, 2 * count)) { return { reply: "other rows " + shown }; }
                // The form has been filled with the packet.
                const filled = get("json").value;
                first.querySelector("button").click();
                if (get("json").value !== filled) { return { reply: "other message" }; }
                return { reply: "ok", count, line: filled.replace(/\\n */g, "") };
            };
            const input = new TextDecoder().decode(Uint8Array.from(atob("\(encoded)"), (c) => c.charCodeAt(0)));
            input.trim().split("\\n").forEach((text, id) => {
                const { line, ...members } = answer(text);
                const start = JSON.stringify({ id, ...members });
                const all = line === undefined ? start : start.slice(0, -1) + ',"line":' + line + "}";
                say(all.replace(/[^ -~]/g, (unit) => "\\\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")));
            });
            """
    }
}
