// SPDX-License-Identifier: Apache-2.0

/// The program of the tool that reads and writes packets. It contains no text from a schema.
enum HTMLToolScript {
    static let text = #"""
        const { wire, tables, sendersDiffer, hasWideIDs } = globalThis.wireline;

        // The most packets, fields and bytes of a field that are shown: pages stay fast, whatever is pasted.
        const mostPackets = 200, mostRows = 1000, mostBytes = 256, mostText = 400;

        const get = id => document.getElementById(id);
        const [tool, sender, example, link, input, summary, packets, editor, outcome, digits, use, written] =
          ["try", "sender", "example", "link", "bytes", "summary", "packets", "json", "outcome", "digits", "use", "written"].map(get);

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

        function readBytes() {
          const found = pasted(input.value), from = sender.value;
          packets.replaceChildren();
          const isRead = typeof found !== "string";
          input.setAttribute("aria-invalid", String(!isRead));
          summary.textContent = isRead ? "" : found;
          link.href = "#from=" + from + "&bytes=" + (isRead ? hex(found) : "");
          if (!isRead || found.length === 0) return;
          let at = 0, count = 0;
          while (at < found.length && count < mostPackets) {
            const seen = wire.inspect_packet(found.subarray(at), sideOf(from));
            packets.append(shownPacket(seen, at, from));
            count++;
            if (seen.count === 0) { at = found.length; break; }
            at += seen.count;
          }
          const rest = found.length - at;
          summary.textContent = counted(found.length, "byte") + ", " + counted(count, "packet")
            + (rest > 0 ? "; " + counted(rest, "more byte") + " not shown" : "");
        }

        function reason(error) {
          const place = error.path ? error.path + ": " : "";
          return place + error.kind.replace(/_/g, " ") + (error.offset === undefined ? "" : " at offset " + error.offset);
        }

        function shownPacket(seen, at, from) {
          const { packet, error } = seen;
          const element = made("section", undefined, "packet"), title = made("p", undefined, "row");
          const name = packet ? packet.name || "unknown message" : error ? "no valid packet" : "incomplete packet";
          title.append(made("b", name));
          const facts = [];
          if (packet) facts.push("ID " + packet.id);
          facts.push(counted(seen.count || seen.bytes.length, "byte"));
          if (at > 0) facts.push("at byte " + at);
          title.append(made("span", facts.join(", "), "quiet"));
          if (packet) title.append(button("Edit", () => edit(pretty(new Map(Object.entries(line(packet))), ""))));
          element.append(title);
          if (error) element.append(made("p", reason(error), "fault"));
          else if (!packet) element.append(made("p", "More bytes are needed" + (seen.wanted > seen.bytes.length ? ": the packet has " + seen.wanted : "") + ".", "fault"));
          element.append(table(seen));
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

        function table(seen) {
          const element = made("table", undefined, "parts"), head = element.createTHead().insertRow();
          for (const name of ["Offset", "Bytes", "Field", "Value"]) {
            const cell = made("th", name);
            cell.scope = "col";
            head.append(cell);
          }
          const rows = rowsOf(seen), body = element.createTBody();
          for (const row of rows.slice(0, mostRows)) {
            const line = body.insertRow();
            if (row.isFault) line.className = "fault";
            const start = row.start === undefined ? row.from : row.start;
            const cells = [row.from, start < row.to ? spaced(seen.bytes.subarray(start, row.to)) : "", row.field.replace(/^packet\./, ""), row.value];
            for (const text of cells) line.insertCell().textContent = text;
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
          return print(v);
        }

        function edit(text) {
          editor.value = text;
          writeMessage();
          editor.focus();
        }

        function writeMessage() {
          const text = editor.value;
          let made, problem = "", from = sender.value;
          if (text.trim() !== "") try {
            JSON.parse(text);
            const packet = parse(text), name = member(packet, "message", null);
            if (!(packet instanceof Map)) refuse("wrong_kind", "");
            const known = tables.messages.find(m => m.name === name || m.other === name);
            if (known && !known.from.includes(from)) from = known.from[0];
            made = encode(packet, sideOf(from));
          } catch (error) {
            if (!(error instanceof Refused || error instanceof wire.WireError || error instanceof SyntaxError)) throw error;
            problem = error instanceof SyntaxError ? error.message : reason(error);
          }
          editor.setAttribute("aria-invalid", String(problem !== ""));
          outcome.textContent = made ? counted(made.length, "byte") + ", sent by the " + from : problem;
          outcome.className = made ? "" : "fault";
          for (const element of [digits, use]) element.hidden = !made;
          digits.textContent = made ? hex(made) : "";
          written.replaceChildren();
          if (made) written.append(table(wire.inspect_packet(made, sideOf(from))));
          use.onclick = () => {
            sender.value = from;
            input.value = hex(made);
            readBytes();
            input.focus();
          };
        }

        // Examples

        function showExample(name) {
          const article = get("message-" + name), known = tables.messages.find(m => m.name === name);
          if (!article || !known) return;
          sender.value = known.from[0];
          input.value = article.querySelector("pre.digits").textContent;
          example.value = name;
          readBytes();
          const json = article.querySelector("pre.json").textContent;
          editor.value = pretty(new Map([["message", name], ["fields", parse(json)]]), "");
          writeMessage();
        }

        // A link's bytes.
        function follow() {
          const found = /^#from=(client|server)&bytes=([0-9a-f]*)$/i.exec(location.hash);
          if (!found) return false;
          sender.value = found[1];
          input.value = found[2];
          readBytes();
          tool.scrollIntoView();
          return true;
        }

        const entry = made("a", "Try it");
        entry.href = "#try";
        document.querySelector("nav").prepend(entry);
        for (const message of tables.messages) example.append(made("option", message.name));
        for (const article of document.querySelectorAll("article")) {
          const shown = article.querySelector("pre.digits"), name = article.id.replace(/^message-/, "");
          if (!shown) continue;
          shown.after(button("Try it", () => {
            showExample(name);
            tool.scrollIntoView();
            input.focus({ preventScroll: true });
          }));
        }
        input.addEventListener("input", readBytes);
        sender.addEventListener("change", readBytes);
        editor.addEventListener("input", writeMessage);
        example.addEventListener("change", () => showExample(example.value));
        get("clear").onclick = () => {
          input.value = editor.value = "";
          readBytes();
          writeMessage();
          input.focus();
        };
        window.addEventListener("hashchange", follow);
        tool.hidden = false;
        if (tables.messages.length) showExample(tables.messages[0].name);
        follow();
        """#
}
