// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The part of the tool's program for a protocol with layers: keys, what opens and seals layers, and how opened packets are shown.
///
/// The module wants its functions for layers to return at once, and browsers compress and inflate later. So a function looks for its
/// result among those that are there. If it is not there, the function starts to make it, adds the promise to `waiting`, and throws.
/// `settled` waits for the promises and runs the same again.
struct HTMLLayerScript {
    let plan: LayerPlan
    let hasStates: Bool

    /// What the program must know of the layers, as JSON.
    var table: JSONValue {
        .object([
            JSONValue.Member("kinds", .array(plan.kinds.map(kind))),
            JSONValue.Member(
                "keys",
                .array(
                    plan.keys.map { key in
                        .object([
                            JSONValue.Member("name", .string(key.name)),
                            JSONValue.Member(
                                "counts",
                                .array(
                                    key.byteCounts.map {
                                        .array([.integer(Int128($0.lowerBound)), .integer(Int128($0.upperBound))])
                                    })),
                        ])
                    })),
            JSONValue.Member("lasts", .boolean(plan.kinds.contains(where: \.hasLastingKeystream))),
            JSONValue.Member("threshold", .boolean(plan.hasThreshold)),
        ])
    }

    private func kind(_ kind: LayerKind) -> JSONValue {
        let text = kind.word + (kind.arguments.isEmpty ? "" : "(\(kind.arguments.joined(separator: ", ")))")
        let keys = plan.keys.map(\.name).filter { kind.arguments.contains($0) && kind.word != "custom" }
        return .object([
            JSONValue.Member("name", .string(kind.name)), JSONValue.Member("word", .string(kind.word)),
            JSONValue.Member("text", .string(text)), JSONValue.Member("keys", .array(keys.map { .string($0) })),
        ])
    }

    private var inflates: Bool { plan.kinds.contains { $0.mayInflate && $0.word != "custom" } }

    /// The element for keys and the threshold; nil if there are neither.
    var element: String? {
        guard !plan.keys.isEmpty || plan.hasThreshold else { return nil }
        return "<fieldset id=\"keys\" class=\"group\"><legend>Layers of the connection</legend></fieldset>"
    }

    var text: String {
        ([Self.waiting] + (inflates ? [Self.compression] : []) + (plan.hasAES ? [HTMLCipherScript.aes] : [])
            + [connection, Self.keys, Self.showing]).joined(separator: "\n")
    }

    private var connection: String {
        var members = ["layers: programLayers"]
        if hasStates { members.append("states: numbersOf(states)") }
        if !plan.keys.isEmpty { members.append("keys: Object.fromEntries(keys)") }
        if plan.hasAES { members.append("aes") }
        if plan.hasThreshold { members.append("threshold") }
        return """
            const programLayers = {};
            \(inflates ? "for (const { name, word } of layers.kinds) if (isSupported(word)) programLayers[name] = compressed(word);" : "")
            function connection(\(hasStates ? "states" : "")) { return [new wire.Connection({ \(members.joined(separator: ", ")) })]; }
            """
    }

    private static let waiting = #"""
        // The numbers of the newest reading and writing: an older one that still waits is given up.
        let reading = 0, writing = 0;
        // What functions for layers have started to make, and how many runs wait for such things.
        let waiting = [], runs = 0;

        // Runs a function again and again until nothing is missing. While it waits, the tool is busy.
        async function settled(run) {
          runs++;
          tool.setAttribute("aria-busy", "true");
          forget();
          try {
            for (;;) {
              waiting = [];
              let result, fault;
              try { result = run(); } catch (error) { fault = error; }
              if (waiting.length === 0) {
                if (fault) throw fault;
                return result;
              }
              await Promise.all(waiting);
            }
          } finally {
            if (--runs === 0) tool.setAttribute("aria-busy", "false");
          }
        }

        // What was made, by what it was made of, and how many bytes that is.
        const results = new Map(), mostHeld = 1 << 25;
        let held = 0;

        function forget() {
          if (held <= mostHeld) return;
          results.clear();
          held = 0;
        }

        function remembered(what, given, make) {
          const key = what + " " + new TextDecoder("latin1").decode(given), known = results.get(key);
          if (!known) {
            waiting.push(make().then(value => ({ value }), error => ({ error })).then(result => {
              held += given.length + (result.value ? result.value.length : 0);
              results.set(key, result);
            }));
            throw new wire.WireError("not_made", "");
          }
          if (known.error) throw known.error;
          return known.value;
        }
        """#

    private static let compression = #"""
        // What browsers call the transforms.
        const formats = { zlib: "deflate", deflate: "deflate-raw", gzip: "gzip", brotli: "brotli" };

        function isSupported(word) {
          try {
            return Boolean(formats[word]) && Boolean(new DecompressionStream(formats[word])) && Boolean(new CompressionStream(formats[word]));
          } catch (_) {
            return false;
          }
        }

        function compressed(word) {
          return () => ({
            open: (sealed, header, limit) => remembered("open " + word + limit, sealed, () => inflated(formats[word], sealed, limit)),
            seal: content => remembered("seal " + word, content, () => piped(new CompressionStream(formats[word]), content, Infinity)),
          });
        }

        // What a stream makes of bytes; undefined if it is longer than the limit. Small pieces go in, so that little is made beyond it.
        async function piped(stream, b, limit) {
          const reader = stream.readable.getReader(), parts = [];
          let count = 0;
          feed(stream.writable.getWriter(), b, true).catch(() => {});
          for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            count += value.length;
            if (count > limit) {
              reader.cancel().catch(() => {});
              return undefined;
            }
            parts.push(value);
          }
          const all = new Uint8Array(count);
          for (const part of parts.reverse()) all.set(part, count -= part.length);
          return all;
        }

        async function feed(writer, b, closes) {
          for (let p = 0; p < b.length; p += 1024) await writer.write(b.slice(p, p + 1024));
          if (closes) await writer.close();
        }

        async function inflated(format, sealed, limit) {
          try {
            return await piped(new DecompressionStream(format), sealed, limit);
          } catch (_) {
            // A stream may be whole before the end of the bytes. It is the longest beginning in which no byte is wrong.
            let count = 0, end = sealed.length;
            while (count < end) {
              const middle = count + Math.ceil((end - count) / 2);
              if (await isTaken(format, sealed.subarray(0, middle))) count = middle; else end = middle - 1;
            }
            const isWhole = count < sealed.length && await piped(new DecompressionStream(format), sealed.subarray(0, count), limit).then(() => true, () => false);
            throw new wire.WireError(isWhole ? "trailing_bytes" : "invalid_layer", "");
          }
        }

        async function isTaken(format, b) {
          const stream = new DecompressionStream(format), reader = stream.readable.getReader(), writer = stream.writable.getWriter();
          const drain = async () => { while (!(await reader.read()).done); };
          drain().catch(() => {});
          writer.closed.catch(() => {});
          try {
            await feed(writer, b, false);
            return true;
          } catch (_) {
            return false;
          } finally {
            writer.abort().catch(() => {});
          }
        }
        """#

    private static let keys = #"""
        // The keys of both sides by their names, and from how many bytes on a content gets a layer. They stand in the fields only.
        const keys = new Map();
        let threshold;

        // The field of a key or a threshold that is wrong.
        function wrongKey() { return get("keys") ? all(get("keys")).find(element => element.problem) : undefined; }

        function layerField(name, path, hint, read) {
          const shown = made("div", undefined, "field"), box = control("input", "text"), head = made("div", undefined, "head"), label = made("label", name);
          const help = made("small", hint, "hint"), fault = made("p", undefined, "fault");
          shown.dataset.path = path;
          label.htmlFor = box.id;
          head.append(label);
          help.id = box.id + "-hint";
          fault.id = box.id + "-fault";
          fault.hidden = true;
          box.setAttribute("aria-describedby", help.id + " " + fault.id);
          box.addEventListener("input", () => {
            shown.problem = read(box.value.trim());
            fault.textContent = shown.problem || "";
            fault.hidden = !shown.problem;
            box.setAttribute("aria-invalid", String(Boolean(shown.problem)));
            readBytes();
            write();
          });
          shown.append(head, box, help, fault);
          return shown;
        }

        function keyField({ name, counts }) {
          const sizes = counts.map(([low, high]) => low === high ? low : low + " to " + high).join(", ").replace(/, ([^,]*)$/, " or $1") + " bytes";
          return layerField(name, "key." + name, "key; hexadecimal digits of " + sizes, text => {
            const plain = text.replace(/0x|\\x/gi, "").replace(/[\s,;:]/g, "");
            keys.delete(name);
            if (plain === "") return undefined;
            if (!/^([0-9a-f]{2})*$/i.test(plain)) return "not hexadecimal digits of whole bytes";
            const key = bytes(plain, "");
            if (!counts.some(([low, high]) => key.length >= low && key.length <= high)) return counted(key.length, "byte") + ": the key has " + sizes;
            keys.set(name, key);
            return undefined;
          });
        }

        function drawKeys() {
          const area = get("keys");
          if (!area) return;
          if (layers.keys.length) area.append(made("small", "Keys stay in these fields: links do not have them." + (layers.lasts ? " Packets that are pasted together are read one after another, and each keystream begins with the first one; so does a message that is edited." : "")));
          area.append(...layers.keys.map(keyField));
          if (layers.threshold) area.append(layerField("threshold", "threshold", "from how many bytes on a content is compressed when it is written; none is without this number", text => {
            const n = text === "" ? undefined : integerOf(text);
            threshold = undefined;
            if (text !== "" && !(n >= 0)) return "not a whole number";
            threshold = n;
            return undefined;
          }));
        }

        // What a layer needs that is not there.
        function needed({ kind, path }) {
          const layer = layers.kinds.find(({ name }) => ("." + path).endsWith(".packet." + name));
          if (kind !== "layer_unavailable" || !layer) return "";
          const missing = layer.keys.filter(name => !keys.has(name));
          if (missing.length) return ": it needs the " + (missing.length === 1 ? "key " : "keys ") + missing.join(" and ");
          return layer.word === "custom" ? ": only a program has it, and no page" : ": this browser does not have " + layer.word;
        }
        """#

    private static let showing = #"""
        // The message that says who sends a line: its own, or the first one in it.
        function firstMessage(line) {
          const name = member(line, "message", null), packets = member(line, "packets", undefined);
          if (name === null && Array.isArray(packets)) return packets.length ? firstMessage(packets[0]) : undefined;
          return tables.messages.find(m => m.name === name || m.other === name);
        }

        // A packet and what its layers hold, each with its bytes, its fields and the fault in it.
        function levelsOf(seen) {
          const all = [seen, ...seen.layers], { error } = seen;
          const isIn = level => level.parts.some(part => part.path === error.path);
          const last = all[all.length - 1];
          const place = error && error.offset !== undefined && !error.path.startsWith("packets[") ? all.find(isIn) || last : undefined;
          return all.map(level => ({ n: level.n, bytes: level.bytes, parts: level.parts, packet: seen.packet, error: level === place ? error : undefined }));
        }

        // The tables of a packet: around the layers, in each one, and those of the packets in it.
        // So many packets inside are shown, at all depths together.
        function tablesOf(seen, from, states, shown, left = { count: mostPackets }) {
          const levels = levelsOf(seen), { error } = seen;
          const tables = levels.map((level, i) => {
            const rows = rowsOf(level);
            for (const row of rows) if (error && error.offset === undefined && row.field === error.path) Object.assign(row, { value: error.kind.replace(/_/g, " "), isFault: true });
            const element = table(level, rows, shown);
            if (level.n === undefined) return element;
            const { name, text } = layers.kinds[level.n], sealed = levels[i - 1].parts.find(part => part.path === "packet." + name);
            return group(text + ": " + counted(sealed.to - sealed.from, "byte") + " hold " + counted(level.bytes.length, "byte"), element);
          });
          if (seen.packets.length === 0) return tables;
          const inside = [];
          for (const inner of seen.packets) if (left.count > 0) {
            left.count--;
            inside.push(shownPacket(inner, inner.at, from, states, states, left));
          }
          if (inside.length < seen.packets.length) inside.push(made("p", counted(seen.packets.length - inside.length, "more packet") + " not shown.", "quiet"));
          return tables.concat(group("Packets in this packet", ...inside));
        }
        """#
}
