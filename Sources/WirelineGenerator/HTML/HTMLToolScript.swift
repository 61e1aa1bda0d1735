// SPDX-License-Identifier: Apache-2.0

/// The program of the tool that reads and writes packets. It contains no text from a schema.
///
/// Browsers compress and inflate later, with promises. So in the page of a protocol with layers some functions are `async`:
/// ``HTMLLayerScript`` has what they wait for.
struct HTMLToolScript: HTMLProgramPart {
    let hasLayers: Bool

    /// Returns an expression that may need what is made later.
    private func settled(_ expression: String) -> String {
        layered("await settled(() => \(expression))", expression)
    }

    var text: String {
        #"""
        const { wire, tables, examples, sendersDiffer, hasWideIDs\#(layered(", layers")) } = globalThis.wireline;

        // The most packets, fields and bytes of a field that are shown: pages stay fast, whatever is pasted.
        const mostPackets = 200, mostRows = 1000, mostBytes = 256, mostText = 400;
        // The most fields of a form and items of a list that are shown at once, and characters of a value that can be edited in it.
        const mostFields = 500, mostItems = 50, mostShown = 20000;

        const get = id => document.getElementById(id);
        const [tool, sender, link, input, summary, packets, chooser, form, editor, bytesOfMessage, outcome, jump, digits, use, written] =
          ["try", "sender", "link", "bytes", "summary", "packets", "message", "fields", "json", "made", "outcome", "jump", "digits", "use", "written"].map(get);

        // The edited message in the form of JSON, the states before it, and whether it was changed.
        let packet, before = zeroStates(), isEdited = false;
        // What was made of the message: its packet, or a fault.
        let result = {};
        // The states before the bytes that are read.
        let start = zeroStates();

        function made(name, text, kind) {
          const element = document.createElement(name);
          if (text !== undefined) element.textContent = text;
          if (kind) element.className = kind;
          return element;
        }

        function button(text, action) {
          const element = made("button", text);
          element.type = "button";
          element.onclick = action;
          return element;
        }

        function counted(n, what) { return n + " " + what + (n === 1 ? "" : "s"); }

        function sideOf(name) { return name === "server" ? wire.fromServer : wire.fromClient; }

        function spaced(b) { return hex(b.subarray(0, mostBytes)).replace(/..(?=.)/g, "$& ") + (b.length > mostBytes ? " …" : ""); }

        // What was pasted

        // The digits of a dump with offsets and letters, as xxd, hexdump -C, od -t x1 (in octal) and tcpdump print it.
        function undumped(text) {
          const lines = text.split("\n").filter(line => line.trim() !== "");
          if (lines.length < 2 && !/[:|]/.test(text)) return undefined;
          let all = "";
          for (const line of lines) {
            const found = /^\s*(?:0x)?(?:([0-7]{7})(?: +|$)|([0-9a-f]{4,8})(?:[: ] +|$))(.*)$/i.exec(line);
            if (!found || 2 * (found[1] ? parseInt(found[1], 8) : parseInt(found[2], 16)) !== all.length) return undefined;
            all += /^(?:(?:[0-9a-f]{2}){1,2} {0,2})*/i.exec(found[3])[0].replace(/ /g, "").slice(0, 32);
          }
          return all === "" ? undefined : all;
        }

        function pasted(text) {
          const dumped = undumped(text);
          if (dumped !== undefined) return bytes(dumped, "");
          const plain = text.replace(/0x|\\x/gi, "").replace(/[\s,;:]/g, "");
          if (/^[0-9a-f]*$/i.test(plain)) return plain.length % 2 === 0 ? bytes(plain, "") : counted(plain.length, "digit") + ": a byte has two";
          const dense = text.replace(/\s/g, "").replace(/-/g, "+").replace(/_/g, "/");
          const found = /^[0-9a-z+/]*={0,2}$/i.test(dense) ? unbase64(dense.replace(/=*$/, "")) : undefined;
          return found || "neither hexadecimal digits nor Base64";
        }

        // Reading

        \#(layered("async "))function readBytes() {
        \#(layered("const run = ++reading;"))
          const found = pasted(input.value), from = sender.value;
          packets.replaceChildren();
          const isRead = typeof found !== "string";
          input.setAttribute("aria-invalid", String(!isRead));
          summary.textContent = isRead ? "" : found;
          link.href = "#from=" + from + linkedStates() + "&bytes=" + (isRead ? hex(found) : "");
          if (!isRead || found.length === 0) return;
          const wrong = \#(layered("wrongKey() || "))all(get("states")).find(element => element.problem);
          if (wrong) {
            summary.textContent = wrong.dataset.path + ": " + wrong.problem;
            return;
          }
          const shared = connection(start);
          let at = 0, count = 0;
          while (at < found.length && count < mostPackets) {
            const states = statesOf(shared), seen = \#(settled("wire.inspect_packet(found.subarray(at), sideOf(from), ...shared)"));
        \#(layered("if (run !== reading) return;"))
            packets.append(shownPacket(seen, at, from, states, statesOf(shared)));
            if (count === 0 && seen.packet && !isEdited) edit(seen.packet, states);
            count++;
            if (seen.count === 0) { at = found.length; break; }
            at += seen.count;
          }
          const rest = found.length - at;
          summary.textContent = counted(found.length, "byte") + ", " + counted(count, "packet")
            + (rest > 0 ? "; " + counted(rest, "more byte") + " not shown" : "");
        }

        function statesOf(shared) {
          return new Map(shared.length ? tables.states.map(f => [f.name, stateOf(f, shared[0].states[f.own])]) : []);
        }

        function linkedStates() {
          const numbers = numbersOf(start);
          return tables.states.filter(f => Number(numbers[f.own]) !== 0).map(f => "&state." + f.name + "=" + BigInt(numbers[f.own])).join("");
        }

        function reason(error) {
          const place = error.path ? error.path + ": " : "";
          return place + error.kind.replace(/_/g, " ") + (error.offset === undefined ? "" : " at offset " + error.offset)\#(layered(" + needed(error)"));
        }

        function shownPacket(seen, at, from, states, after\#(layered(", left"))) {
          const { packet, error } = seen;
          const element = made("section", undefined, "packet"), title = made("p", undefined, "row");
          const name = packet ? \#(layered("packet.packets ? counted(packet.packets.length, \"packet\") + \" in a packet\" : "))packet.name || "unknown message" : error ? "no valid packet" : "incomplete packet";
          title.append(made("b", name));
          const facts = [];
          if (packet) facts.push("ID " + packet.id);
          facts.push(counted(seen.count || seen.bytes.length, "byte"));
          if (at > 0) facts.push("at byte " + at);
          if (print(states) !== print(after)) facts.push("then the states are " + (stateText(after) || "0"));
          title.append(made("span", facts.join(", "), "quiet"));
          if (packet) title.append(button("Edit", () => {
            edit(packet, states);
            chooser.focus({ preventScroll: true });
            chooser.scrollIntoView({ block: "nearest" });
          }));
          element.append(title);
          if (error) element.append(made("p", reason(error), "fault"));
          else if (!packet) element.append(made("p", "More bytes are needed" + (seen.wanted > seen.bytes.length ? ": the packet has " + seen.wanted : "") + ".", "fault"));
          element.append(\#(layered("...tablesOf(seen, from, states, undefined, left)", "table(seen, rowsOf(seen))")));
          return element;
        }

        // Values that contain others come after them: this makes each the parent of the deeper ones before it.
        function tree(parts) {
          const roots = [];
          for (const part of parts) {
            const inside = [];
            while (roots.length && roots[roots.length - 1].depth > part.depth) inside.unshift(roots.pop());
            roots.push({ part, depth: part.depth, inside });
          }
          return roots.sort((a, b) => a.part.from - b.part.from);
        }

        function rowsOf(seen) {
          const rows = [];
          const add = ({ part, inside }) => {
            const group = inside.length > 0;
            rows.push({ from: part.from, to: group ? Math.max(part.from, inside[0].part.from) : part.to, field: part.path, value: !group ? valueText(seen, part) : Array.isArray(part.value) ? counted(part.value.length, "item") : "", isGroup: group });
            inside.forEach(add);
          };
          tree(seen.parts).forEach(add);
          const { error } = seen;
          if (error && error.offset !== undefined) {
            let index = 0;
            while (index < rows.length && rows[index].from <= error.offset && (rows[index].to <= error.offset || !rows[index].isGroup || rows[index].from === rows[index].to)) index++;
            const before = index > 0 ? rows[index - 1].to : 0, from = Math.max(error.offset, before);
            const end = index < rows.length ? rows[index].from : seen.bytes.length;
            rows.splice(index, 0, { from: error.offset, start: from, to: Math.max(from, end), field: error.path, value: error.kind.replace(/_/g, " "), isFault: true });
          }
          return withGaps(rows, seen);
        }

        // Bytes that no field was read from.
        function withGaps(rows, seen) {
          const all = [], known = seen.packet && seen.packet.name !== null;
          const field = seen.packet ? known ? "" : "payload" : "";
          const value = seen.packet ? "" : "not read";
          let p = 0;
          for (const row of rows) {
            const start = row.start === undefined ? row.from : row.start;
            if (start > p) all.push({ from: p, to: start, field, value });
            // Fields that share bytes show them once.
            all.push({ ...row, start: Math.max(p, start) });
            p = Math.max(p, row.to);
          }
          if (p < seen.bytes.length) all.push({ from: p, to: seen.bytes.length, field: field || (known ? "trailing" : ""), value });
          return all;
        }

        function table(seen, rows, shown) {
          const element = made("table", undefined, "parts"), head = element.createTHead().insertRow();
          for (const name of ["Offset", "Bytes", "Field", "Value"]) {
            const cell = made("th", name);
            cell.scope = "col";
            head.append(cell);
          }
          const body = element.createTBody();
          for (const row of rows.slice(0, mostRows)) {
            const line = body.insertRow();
            if (row.isFault) line.className = "fault";
            const start = row.start === undefined ? row.from : row.start;
            const cells = [row.from, start < row.to ? spaced(seen.bytes.subarray(start, row.to)) : "", row.field.replace(/^packet\./, ""), row.value];
            for (const text of cells) line.insertCell().textContent = text;
            if (shown && row.field) line.dataset.path = row.field;
            if (shown && shown.has(row.field)) line.cells[2].replaceChildren(button(cells[2], () => focusOn(shown.get(row.field))));
          }
          if (rows.length > mostRows) body.insertRow().insertCell().textContent = counted(rows.length - mostRows, "more row") + " not shown";
          return element;
        }

        // The type that the tables have for a path, such as `Sc_1.players[0].name`.
        function typeAt(path) {
          const steps = path.match(/[^.[\]]+|\[\d+\]/g) || [];
          const message = tables.messages.find(m => m.name === steps[0]);
          let list = steps[0] === "packet" && !message ? tables.header : message ? message.fields : [], type;
          for (const step of steps.slice(1)) {
            if (step[0] === "[") { type = type && type.list; } else {
              const found = list.find(f => f.name === step);
              type = found && found.type;
            }
            if (type === undefined) return undefined;
            if (type && type.structure !== undefined) list = tables.structures[type.structure].fields;
            if (type && type.union !== undefined) list = tables.unions[type.union].arms;
          }
          return type;
        }

        function valueText(seen, part) {
          const type = typeAt(part.path);
          let { value } = part;
          // Of texts in the header, only the bytes were seen.
          const header = seen.packet && part.path.startsWith("packet.") && tables.header.find(f => "packet." + f.name === part.path);
          if (header && seen.packet.header[header.own] !== undefined) value = seen.packet.header[header.own];
          if (value === undefined || type === null) return "";
          const text = value instanceof Uint8Array ? counted(value.length, "byte") : typeof value === "bigint" && !Object(type).flags ? String(value)
            : type !== undefined && type !== "kept" ? print(show(type, value)) : print(value);
          return text.length > mostText ? text.slice(0, mostText) + "…" : text;
        }

        // Writing

        function pretty(v, indent) {
          const inner = indent + "  ";
          if (v instanceof Map && v.size > 0) {
            const members = Array.from(v, ([key, item]) => inner + JSON.stringify(key) + ": " + pretty(item, inner));
            return "{\n" + members.join(",\n") + "\n" + indent + "}";
          }
          if (Array.isArray(v) && v.some(item => item instanceof Map)) return "[\n" + v.map(item => inner + pretty(item, inner)).join(",\n") + "\n" + indent + "]";
          if (Array.isArray(v)) return "[" + v.map(item => pretty(item, inner)).join(",") + "]";
          return Object.is(v, -0) ? "-0.0" : print(v);
        }

        // Takes a message that was read into the form.
        function edit(message, states) {
          isEdited = false;
          take(pretty(\#(layered("parse(print(lineOf(message)))", "new Map(Object.entries(line(message)))")), ""), states);
        }

        function take(text, states) {
          editor.value = text;
          packet = parse(text);
          before = new Map(tables.states.map(f => [f.name, states.get(f.name)]));
          drawForm();
          write();
        }

        function readJSON() {
          isEdited = true;
          try {
            if (editor.value.trim() === "") packet = undefined;
            else {
              JSON.parse(editor.value);
              packet = parse(editor.value);
            }
          } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
            return showMade(undefined, undefined, { path: "", kind: error.message }, error.message);
          }
          drawForm();
          write();
        }

        // The packet of the message, or why it has none.
        \#(layered("async "))function write() {
        \#(layered("const run = ++writing;"))
          let made, fault, from = sender.value;
          const wrong = \#(layered("wrongKey() || "))all(form).find(element => element.problem);
          if (wrong) fault = { path: wrong.dataset.path, kind: wrong.problem };
          else if (packet !== undefined) try {
            const name = member(packet, "message", null);
            if (!(packet instanceof Map)) refuse("wrong_kind", "");
            const known = \#(layered("firstMessage(packet)", "tables.messages.find(m => m.name === name || m.other === name)"));
            if (known && !known.from.includes(from)) from = known.from[0];
            made = \#(hasLayers ? settled("encodeLine(packet, sideOf(from), connection(before))") : "encode(packet, sideOf(from), connection(before))");
          } catch (error) {
            if (!(error instanceof Refused || error instanceof wire.WireError)) throw error;
            fault = error;
          }
        \#(layered("if (run !== writing) return false;\nreturn "))showMade(made, from, fault, fault ? reason(fault) : "");
        }

        \#(layered("async "))function showMade(made, from, fault, problem) {
        \#(layered("const run = ++writing;"))
          const seen = made && \#(settled("wire.inspect_packet(made, sideOf(from), ...connection(before))"));
        \#(layered("if (run !== writing) return false;"))
          result = { seen, fault };
          // Lengths and checksums in the JSON are those of the packet.
          const header = seen && seen.packet && packet.get("header");
          if (header instanceof Map) for (const f of tables.header) {
            const v = seen.packet.header[f.own];
            if (!f.settable && header.has(f.name) && v !== undefined) header.set(f.name, parse(print(show(f.type, v))));
          }
          editor.setAttribute("aria-invalid", String(problem !== ""));
          outcome.textContent = made ? counted(made.length, "byte") + ", sent by the " + from : problem;
          outcome.className = made ? "" : "fault";
          for (const element of [digits, use]) element.hidden = !made;
          const rows = made ? rowsOf(\#(layered("levelsOf(seen)[0]", "seen"))) : [];
          showDigits(made, seen, rows);
          written.replaceChildren();
          if (made) written.append(\#(layered("...tablesOf(seen, from, before, ", "table(seen, rows, "))new Map(all(form).map(element => [element.dataset.path, element]))));
          use.onclick = () => {
            sender.value = from;
            start = new Map(before);
            drawStates();
            input.value = hex(made);
            isEdited = false;
            readBytes();
            input.focus();
          };
          showResult();
        \#(layered("return true;"))
        }

        // The bytes of each field can be marked, unless escapes stand between them.
        function showDigits(made, seen, rows) {
          digits.replaceChildren();
          if (!made) return;
          let p = 0;
          if (hex(seen.bytes) === hex(made)) for (const row of rows.slice(0, mostRows)) {
            const start = row.start === undefined ? row.from : row.start;
            if (start < p || start >= row.to || row.isFault) continue;
            digits.append(hex(made.subarray(p, start)));
            const part = document.createElement("span");
            part.textContent = hex(made.subarray(start, row.to));
            part.dataset.path = row.field;
            digits.append(part);
            p = row.to;
          }
          digits.append(hex(made.subarray(p)));
        }

        // Examples

        // Returns whether the document has an example of the message.
        function showExample(name, intoBytes) {
          const article = get("message-" + name), known = tables.messages.find(m => m.name === name);
          const shown = article && article.querySelector("pre.digits");
          if (!shown || !known) return false;
          const { from, states } = examples[name] || {};
          const given = new Map(tables.states.map(f => [f.name, stateOf(f, states && states[f.name])]));
          if (!intoBytes) {
            const found = wire.inspect_packet(bytes(shown.textContent, ""), sideOf(from || known.from[0]), ...connection(given));
            if (found.packet) edit(found.packet, given);
            return Boolean(found.packet);
          }
          sender.value = from || known.from[0];
          start = given;
          drawStates();
          input.value = shown.textContent;
          isEdited = false;
          readBytes();
          return true;
        }

        // The message that was chosen, with the values of its example, or with zeros.
        function choose() {
          const known = tables.messages.find(m => m.name === chooser.value);
          if (known && showExample(known.name)) return;
          isEdited = false;
          const packet = known ? [["message", known.name], ["fields", newBody(known)]] : [["message", null], ["id", 0], ["payload", ""]];
          take(pretty(new Map(packet), ""), zeroStates());
        }

        function newBody(known) {
          return new Map(known.fields.filter(f => !f.optional && !f.since).map(f => [f.name, fresh(f.type)]));
        }

        function drawStates() {
          get("states").hidden = tables.states.length === 0;
          room = mostFields;
          get("states").replaceChildren(get("states").firstElementChild, ...stateFields(start, readBytes));
        }

        // A link's bytes.
        function follow() {
          const found = /^#from=(client|server)((?:&state\.[^=&]+=-?[0-9]+)*)&bytes=([0-9a-f]*)$/i.exec(location.hash);
          if (!found) return false;
          const given = new URLSearchParams(found[2]);
          sender.value = found[1];
          start = new Map(tables.states.map(f => [f.name, stateOf(f, given.get("state." + f.name) || 0)]));
          drawStates();
          input.value = found[3];
          isEdited = false;
          readBytes();
          tool.scrollIntoView();
          return true;
        }

        """#
    }

    /// What runs when the page has been read.
    var start: String {
        #"""
        const toTool = made("a", "Try it");
        toTool.href = "#try";
        document.querySelector("nav").prepend(toTool);
        for (const message of tables.messages) chooser.append(made("option", message.name));
        chooser.append(new Option("another ID", ""));
        for (const article of document.querySelectorAll("article")) {
          const shown = article.querySelector("pre.digits"), name = article.id.replace(/^message-/, "");
          if (!shown) continue;
          shown.after(button("Try it", () => {
            showExample(name, true);
            tool.scrollIntoView();
            input.focus({ preventScroll: true });
          }));
        }
        input.addEventListener("input", () => {
          isEdited = false;
          readBytes();
        });
        sender.addEventListener("change", () => {
          readBytes();
          write();
        });
        editor.addEventListener("input", readJSON);
        chooser.addEventListener("change", choose);
        get("clear").onclick = () => {
          input.value = editor.value = "";
          readBytes();
          readJSON();
          isEdited = false;
          input.focus();
        };
        window.addEventListener("hashchange", follow);
        tool.hidden = false;
        drawStates();
        \#(layered("drawKeys();"))
        if (!tables.messages.length || !showExample(tables.messages[0].name, true)) choose();
        follow();
        """#
    }
}
