// SPDX-License-Identifier: Apache-2.0

/// The form: a field for each value of a message, and what ties fields to bytes.
struct HTMLFormScript: HTMLProgramPart {
    let hasLayers: Bool

    var text: String {
        #"""
        // Fields

        // What stands in the document about a field: its type, its range, its comment.
        function described(row) {
          if (!row) return { type: "", text: "" };
          const [type, meaning] = Array.from(row.cells).slice(-2);
          const integer = /^(u?)int([0-9]+)(?![0-9.])/.exec(type.textContent), parts = [""];
          for (const node of meaning.childNodes) if (node.nodeName === "BR") parts.push(""); else parts[parts.length - 1] += node.textContent;
          const isRanged = parts.some(part => /^-?[0-9.]+ to /.test(part));
          if (integer && !isRanged) {
            const end = 1n << BigInt(integer[2]);
            parts.unshift(integer[1] ? "0 to " + (end - 1n) : -end / 2n + " to " + (end / 2n - 1n));
          }
          return { type: type.textContent, text: [type.textContent].concat(parts).filter(part => part).join("; ") };
        }

        // The rows of the packet's fields and of states have no anchors.
        const packetRows = new Map(Array.from(document.querySelectorAll("#packet tbody tr"), row => [row.querySelector("code") ? row.querySelector("code").textContent : "", row]));

        const all = element => Array.from(element.querySelectorAll("[data-path]"));

        // How many more fields are shown: what goes away makes room.
        let room = 0;
        const insides = new WeakMap();

        // A field: its name, a switch if it may be absent, its control, its bytes, and what is wrong with it.
        function field(f, slot, path, row, extra) {
          room--;
          const kind = kindOf(f.type), isGroup = ["list", "structure", "union", "flags", "properties", "kept"].includes(kind);
          const shown = made(isGroup ? "fieldset" : "div", undefined, "field"), name = f.label || f.name, about = described(row);
          shown.dataset.path = path;
          const draw = () => {
            room += all(shown).length;
            shown.problem = undefined;
            const v = slot.get(), mayBeAbsent = f.optional || f.since, isSet = v !== undefined && !(v === null && mayBeAbsent);
            const title = made(isGroup ? "legend" : "label", name), hint = made("small", about.text, "hint");
            const fault = made("p", undefined, "fault"), own = made("code", undefined, "own");
            hint.id = "control-" + ++controlCount;
            fault.id = "control-" + ++controlCount;
            fault.hidden = true;
            let parts;
            if (!isSet && mayBeAbsent) parts = [];
            else if (!fits(f.type, v)) parts = [made("span", v === undefined ? "It is missing in the JSON." : "The JSON has a value of another kind here.", "quiet"), button("Set " + name, () => {
              slot.set(fresh(f.type));
              draw();
              slot.changed();
              focusOn(shown);
            })];
            else parts = controls(f, slot, path, shown, name, draw);
            const first = parts.find(part => /^(input|textarea|select)$/i.test(part.tagName));
            if (!isGroup && first) title.htmlFor = first.id;
            const head = made("div", undefined, "head");
            if (mayBeAbsent) {
              const box = control("input", "checkbox");
              box.checked = isSet;
              box.className = "switch";
              box.setAttribute("role", "switch");
              box.setAttribute("aria-label", name + " is set");
              box.onchange = () => {
                if (box.checked) slot.set(fresh(f.type)); else slot.remove();
                draw();
                shown.querySelector("input").focus();
                slot.changed();
              };
              (isGroup ? title : head).prepend(box);
            }
            if (!isGroup) head.append(title);
            for (const part of parts) if (/^(input|textarea|select)$/i.test(part.tagName)) part.setAttribute("aria-describedby", hint.id + " " + fault.id);
            if (isGroup) shown.setAttribute("aria-describedby", hint.id + " " + fault.id);
            shown.replaceChildren(...(isGroup ? [title] : [head]), ...(isGroup ? [hint, fault, ...parts, ...(extra || [])] : [...parts, own, ...(extra || []), hint, fault]));
            insides.set(shown, { own, fault, first: parts.length === 0 ? head.querySelector("input") : first });
          };
          draw();
          return shown;
        }

        function controls(f, slot, path, shown, name, draw) {
          const { type } = f;
          switch (kindOf(type)) {
            case null: return [made("span", "no value", "quiet")];
            case "integer": case "wide": return [integerControl(shown, slot)];
            case "float32": case "float64": return [floatControl(shown, slot)];
            case "boolean": return [checkControl(shown, slot)];
            case "string": return textControl(shown, slot, slot.get(), "", text => text);
            case "bytes": return bytesControl(shown, slot, f.isHex);
            case "properties": return propertiesControl(shown, slot, name);
            case "enum": return enumControl(shown, slot, type, name);
            case "flags": return flagsControl(shown, slot, type, name);
            case "list": return [listControl(f, slot, path, name)];
            case "structure": return [body(tables.structures[type.structure].fields, slot.get(), path, "struct-" + schemaName(tables.structures[type.structure]), slot.changed)];
            case "kept": return [body(keptFields(f.union), slot.get(), path, "", slot.changed)];
            default: return unionControl(shown, slot, path, tables.unions[type.union], name, draw);
          }
        }

        function schemaName(type) { return type.name || type.own; }

        // The fields of a message or a structure.
        function body(list, values, path, anchor, changed) {
          const all = made("div", undefined, "body");
          const show = from => {
            let i = from;
            for (; i < list.length && (room > 0 || i === from); i++) {
              const f = list[i], slot = place(values, f.name, changed);
              // The JSON has the fields in the schema's order.
              all.append(field(f, { ...slot, set: v => setInOrder(values, f.name, v, list) }, path + "." + f.name, get(anchor + "." + f.name)));
            }
            if (i < list.length) all.append(more(list.length - i, "field", () => show(i)));
            return all.children[from];
          };
          show(0);
          return all;
        }

        function setInOrder(values, key, v, list) {
          if (values.has(key)) return values.set(key, v);
          values.set(key, v);
          for (const f of list.slice(list.findIndex(f => f.name === key) + 1)) {
            if (!values.has(f.name)) continue;
            const later = values.get(f.name);
            values.delete(f.name);
            values.set(f.name, later);
          }
        }

        // What is not shown, so that long values stay fast.
        function more(count, what, show) {
          const row = made("p", counted(count, "more " + what) + " not shown. ", "quiet");
          row.append(button("Show more", () => {
            room = mostFields;
            row.remove();
            const first = show();
            showResult();
            focusOn(first);
          }));
          return row;
        }

        function listControl(f, slot, path, name) {
          const items = slot.get(), { count } = f.type, list = made("div", undefined, "list");
          let limit = mostItems;
          const item = i => {
            const remove = button("Remove", () => {
              items.splice(i, 1);
              draw();
              slot.changed();
              focusOn(list.children[Math.min(i, items.length - 1)] || list);
            });
            remove.setAttribute("aria-label", "Remove " + name + "[" + i + "]");
            const isFixed = count !== undefined && items.length <= count;
            return field({ name: f.name, type: f.type.list, label: name + "[" + i + "]" }, place(items, i, slot.changed), path + "[" + i + "]", undefined, isFixed ? [] : [remove]);
          };
          const draw = () => {
            room += all(list).length;
            const shown = [];
            for (let i = 0; i < items.length && i < limit && (room > 0 || i === 0); i++) shown.push(item(i));
            list.replaceChildren(...shown);
            if (shown.length < items.length) list.append(more(items.length - shown.length, "item", () => {
              limit = shown.length + mostItems;
              draw();
              return list.children[shown.length];
            }));
            const add = button("Add", () => {
              if (limit >= items.length) limit = Math.max(limit, items.length + 1);
              items.push(fresh(f.type.list));
              room = Math.max(room, 0) + mostItems;
              draw();
              slot.changed();
              focusOn(list.children[items.length - 1] || list);
            });
            add.setAttribute("aria-label", "Add to " + name);
            if (count === undefined || items.length < count) list.append(add);
            list.append(made("span", " " + counted(items.length, "item"), "quiet"));
          };
          draw();
          return list;
        }

        function unionControl(shown, slot, path, union, name, draw) {
          const value = slot.get(), [key] = value.keys(), arm = union.arms.find(a => a.name === key), box = control("select");
          for (const a of union.arms) box.append(made("option", a.name));
          box.value = key;
          box.setAttribute("aria-label", "Arm of " + name);
          box.onchange = () => {
            const hadFocus = document.activeElement === box, chosen = union.arms.find(a => a.name === box.value);
            slot.set(new Map([[chosen.name, chosen.type === "kept" ? new Map([["tag", 0], ["bytes", ""]]) : fresh(chosen.type)]]));
            draw();
            if (hadFocus) focusOn(shown);
            slot.changed();
          };
          return [box, field({ name: key, type: arm.type, union }, place(value, key, slot.changed), path + "." + key, get("union-" + schemaName(union) + "." + key))];
        }

        function group(title, ...parts) {
          const all = made("fieldset", undefined, "group");
          all.append(made("legend", title), ...parts);
          return all;
        }

        // The states of a connection. One that is not set is 0.
        function zeroStates() {
          return new Map(tables.states.map(f => [f.name, stateOf(f, 0)]));
        }

        function stateOf(f, v) {
          const shown = show(f.type, f.type === "boolean" ? Boolean(Number(v)) : f.wide ? BigInt(v || 0) : Number(v || 0));
          return Array.isArray(shown) ? shown.map(exactItem) : shown;
        }

        function stateFields(states, changed) {
          return tables.states.map(f => field(f, place(states, f.name, changed), "state." + f.name, packetRows.get(f.name)));
        }

        function numbersOf(states) {
          const numbers = {};
          for (const f of tables.states) numbers[f.own] = read(f.type, states.get(f.name), "state." + f.name);
          return numbers;
        }

        \#(layered("", "function connection(states) { return tables.states.length ? [new wire.Connection(numbersOf(states))] : []; }"))

        // What is set, for people.
        function stateText(states) {
          return Array.from(states, ([name, v]) => [name, v, zeroStates().get(name)]).filter(([, v, zero]) => print(v) !== print(zero)).map(([name, v]) => name + ": " + print(v).replace(/"/g, "")).join(", ");
        }

        // The form

        function drawForm() {
          room = mostFields;
          form.replaceChildren();
          if (!(packet instanceof Map)) {
            chooser.value = "-";
            return;
          }
          const name = member(packet, "message", null), known = tables.messages.find(m => m.name === name || m.other === name), parts = [];
          chooser.value = known ? known.name : name === null ? "" : "-";
          if (tables.states.length) parts.push(group("States of the connection before this packet", ...stateFields(before, changed)));
          const values = slot => slot.get() instanceof Map ? slot.get() : slot.set(new Map()) && slot.get();
          const hasHeader = tables.header.filter(f => f.settable);
          const addressed = values(place(packet, "header", changed));
          if (hasHeader.length) parts.push(group("Header", ...hasHeader.map(f => field({ ...f, optional: true }, place(addressed, f.name, changed), "packet." + f.name, packetRows.get(f.name)))));
          if (known) parts.push(body(known.fields, values(place(packet, "fields", changed)), known.name, "message-" + known.name, changed));
          if (known && known.trailing) parts.push(field({ name: "trailing", type: "bytes", isHex: true, optional: true }, place(packet, "trailing", changed), "trailing"));
          if (name === null) parts.push(
            field({ name: "id", label: "ID", type: "integer" }, place(packet, "id", changed), "id"),
            \#(layered("Array.isArray(packet.get(\"packets\")) ? made(\"p\", counted(packet.get(\"packets\").length, \"packet\") + \" in this packet: edit them as JSON.\", \"quiet\") : "))field({ name: "payload", type: "bytes", isHex: true }, place(packet, "payload", changed), "payload"));
          form.append(...parts);
        }

        \#(layered("async "))function changed() {
          isEdited = true;
          \#(layered("if (await write()) ", "write();\n"))editor.value = pretty(packet, "");
        }

        // Fields and bytes

        // The field of a path, or the one around it that is shown.
        function fieldAt(path, shown = new Map(all(form).map(element => [element.dataset.path, element]))) {
          for (let rest = path; rest; rest = /^(.*)(\.[^.[\]]*|\[\d+\])$/.test(rest) ? RegExp.$1 : "") if (shown.has(rest)) return shown.get(rest);
        }

        function focusOn(element) {
          const inside = element && element.querySelector("input, textarea, select, button");
          if (!inside) return;
          inside.focus({ preventScroll: true });
          inside.scrollIntoView({ block: "nearest" });
        }

        // Shows at each field its bytes, and the fault at the one that it names.
        function showResult() {
          const { seen, fault } = result, parts = new Map(seen ? \#(layered("levelsOf(seen).flatMap(level => level.parts.map(part => [part.path, { ...part, bytes: level.bytes }]))", "seen.parts.map(part => [part.path, part])")) : []);
          for (const element of all(form)) {
            const { own, fault: text, first } = insides.get(element), part = parts.get(element.dataset.path);
            own.textContent = part ? short(\#(layered("part", "seen")).bytes.subarray(part.from, part.to)) : "";
            text.hidden = true;
            text.textContent = "";
            if (first) first.removeAttribute("aria-invalid");
          }
          const place = fault && fieldAt(fault.path.replace(/^([^.]+\.)?(packet|header)\./, "packet."));
          jump.hidden = !place;
          if (!place) return;
          const { fault: text, first } = insides.get(place);
          text.textContent = fault.kind.replace(/_/g, " ");
          text.hidden = false;
          if (first) first.setAttribute("aria-invalid", "true");
          jump.onclick = () => focusOn(place);
        }

        function short(b) { return hex(b.subarray(0, 8)).replace(/..(?=.)/g, "$& ") + (b.length > 8 ? " …" : ""); }

        // Marks the field of a path, and its bytes.
        function mark(path) {
          const near = path && fieldAt(path);
          for (const element of all(form)) element.classList.toggle("marked", element === near);
          for (const element of all(bytesOfMessage)) {
            const own = element.dataset.path;
            element.classList.toggle("marked", Boolean(path) && (own === path || own.startsWith(path + ".") || own.startsWith(path + "[")));
          }
        }

        function pathOf(element) {
          const found = element && element.closest ? element.closest("[data-path]") : null;
          return found ? found.dataset.path : undefined;
        }

        for (const element of [form, bytesOfMessage]) {
          element.addEventListener("pointerover", event => mark(pathOf(event.target) || pathOf(document.activeElement)));
          element.addEventListener("pointerleave", () => mark(pathOf(document.activeElement)));
          element.addEventListener("focusin", event => mark(pathOf(event.target)));
          element.addEventListener("focusout", () => mark(undefined));
        }
        bytesOfMessage.addEventListener("click", event => {
          const path = pathOf(event.target);
          if (path && getSelection().isCollapsed) focusOn(fieldAt(path));
        });
        """#
    }
}
