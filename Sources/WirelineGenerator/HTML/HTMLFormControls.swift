// SPDX-License-Identifier: Apache-2.0

/// The functions of the form: which values fit a type, what a new value is, and the controls of single values.
enum HTMLFormControls {
    static let text = #"""
        // Where a value is: in a message, a structure, a list. After a change, `changed` is called.
        function place(holder, key, changed) {
          return holder instanceof Map
            ? { get: () => holder.get(key), set: v => holder.set(key, v), remove: () => holder.delete(key), changed }
            : { get: () => holder[key], set: v => { holder[key] = v; }, changed };
        }

        // Values

        function kindOf(type) { return typeof type === "string" || type === null ? type : Object.keys(type)[0]; }

        // Whether a value has the form that its control needs; whether it can be written is another question.
        function fits(type, v) {
          switch (kindOf(type)) {
            case null: return v === null;
            case "integer": case "wide": return isInteger(v);
            case "float32": case "float64": return typeof v === "number" || typeof v === "bigint" || /^(NaN|-?Infinity)$/.test(v);
            case "boolean": return typeof v === "boolean";
            case "string": return typeof v === "string";
            case "bytes": return typeof v === "string" && unbase64(v) !== undefined;
            case "properties": return v instanceof Map && Array.from(v.values()).every(text => typeof text === "string");
            case "list": return Array.isArray(v);
            case "structure": case "kept": return v instanceof Map;
            case "enum": return isInteger(v) || tables.enumerations[type.enum].cases.some(c => c.name === v);
            case "flags": return Array.isArray(v) && v.every(item => isInteger(item) || tables.flags[type.flags].cases.some(c => c.name === item));
            default: return v instanceof Map && v.size === 1 && tables.unions[type.union].arms.some(arm => v.has(arm.name));
          }
        }

        function isInteger(v) { return Number.isInteger(v) || typeof v === "bigint" || typeof v === "string" && /^-?[0-9]+$/.test(v); }

        // A new value. A type may contain itself in some arms of a union: the depth says how far to look.
        function fresh(type) {
          for (let depth = 1; depth < 40; depth++) {
            const v = newValue(type, depth, new Map());
            if (v !== undefined) return v;
          }
          return null;
        }

        function newValue(type, depth, known) {
          switch (kindOf(type)) {
            case null: return null;
            case "integer": case "wide": case "float32": case "float64": return 0;
            case "boolean": return false;
            case "string": case "bytes": return "";
            case "properties": return new Map();
            case "enum": return tables.enumerations[type.enum].cases.length ? tables.enumerations[type.enum].cases[0].name : 0;
            case "flags": return [];
            case "list": {
              const items = Array.from({ length: type.count || 0 }, () => newValue(type.list, depth, known));
              return items.includes(undefined) ? undefined : items;
            }
          }
          if (depth === 0) return undefined;
          const place = print(type) + depth;
          if (!known.has(place)) known.set(place, "structure" in type ? madeBody(tables.structures[type.structure].fields, depth - 1, known) : madeArm(tables.unions[type.union], depth - 1, known));
          // Each place gets a value of its own.
          return known.get(place) && parse(print(known.get(place)));
        }

        function madeBody(list, depth, known) {
          const body = new Map();
          for (const f of list) {
            if (f.optional || f.since) continue;
            const v = newValue(f.type, depth, known);
            if (v === undefined) return undefined;
            body.set(f.name, v);
          }
          return body;
        }

        function madeArm(union, depth, known) {
          for (const arm of union.arms) {
            const v = arm.type === "kept" ? madeBody(keptFields(union), depth, known) : newValue(arm.type, depth, known);
            if (v !== undefined) return new Map([[arm.name, v]]);
          }
          return undefined;
        }

        function keptFields(union) { return [{ name: "tag", type: union.tag }, { name: "bytes", type: "bytes" }]; }

        // Controls

        let controlCount = 0;

        function control(name, type) {
          const box = made(name);
          box.id = "control-" + ++controlCount;
          if (type) box.type = type;
          if (name !== "select" && type !== "checkbox") [box.autocomplete, box.spellcheck] = ["off", false];
          return box;
        }

        // Text that stands for a value. While it stands for none, the message keeps the value before it.
        function entry(box, field, text, problem, read, slot) {
          box.value = text;
          box.addEventListener("input", () => {
            const v = read(box.value);
            field.problem = v === undefined ? problem : undefined;
            if (v !== undefined) slot.set(v);
            slot.changed();
          });
          return box;
        }

        function exact(number) { return Number.isSafeInteger(Number(number)) ? Number(number) : number; }

        function integerOf(text) {
          const found = /^\s*(-?)(0x[0-9a-f]+|[0-9]+)\s*$/i.exec(text);
          return found ? exact(found[1] ? -BigInt(found[2]) : BigInt(found[2])) : undefined;
        }

        function integerControl(field, slot) {
          const box = control("input", "text");
          box.inputMode = "numeric";
          box.addEventListener("keydown", event => {
            const step = { ArrowUp: 1n, ArrowDown: -1n }[event.key], v = integerOf(box.value);
            if (step === undefined || v === undefined) return;
            event.preventDefault();
            box.value = String(BigInt(v) + step);
            box.dispatchEvent(new Event("input"));
          });
          return entry(box, field, String(slot.get()), "not a whole number", integerOf, slot);
        }

        function floatOf(text) {
          const plain = text.trim();
          if (/^(NaN|-?Infinity)$/.test(plain)) return plain;
          return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : undefined;
        }

        function floatControl(field, slot) {
          const box = control("input", "text"), v = slot.get();
          return entry(box, field, Object.is(v, -0) ? "-0" : String(v), "not a number", floatOf, slot);
        }

        function checkControl(field, slot) {
          const box = control("input", "checkbox");
          box.checked = slot.get();
          box.onchange = () => {
            slot.set(box.checked);
            slot.changed();
          };
          return box;
        }

        // Long values, and those that a text area would change, are shown only.
        function textControl(field, slot, text, problem, read) {
          const box = control("textarea"), isLocked = text.length > mostShown || text.includes("\r");
          box.rows = Math.min(6, 1 + Math.floor(text.length / 60) + (text.match(/\n/g) || []).length);
          entry(box, field, text.slice(0, mostShown), problem, read, slot);
          if (!isLocked) return [box];
          box.readOnly = true;
          return [box, made("small", text.length > mostShown ? "Only a part is shown. Edit it as JSON." : "A form cannot keep carriage returns. Edit it as JSON.")];
        }

        // In JSON, fields are Base64, and bytes of an unknown message or after the last field are hexadecimal digits.
        function bytesControl(field, slot, isHex) {
          const all = isHex ? bytes(slot.get(), "") : unbase64(slot.get());
          return textControl(field, slot, hex(all).replace(/..(?=.)/g, "$& "), "not hexadecimal digits of whole bytes", text => {
            const plain = text.replace(/0x|\\x/gi, "").replace(/[\s,;:]/g, "");
            if (!/^([0-9a-f]{2})*$/i.test(plain)) return undefined;
            return isHex ? plain.toLowerCase() : base64(bytes(plain, ""));
          });
        }

        function enumControl(field, slot, type, name) {
          const { cases, closed } = tables.enumerations[type.enum], box = control("select"), v = slot.get();
          const known = typeof v === "string" && cases.find(c => c.name === v) || isInteger(v) && cases.find(c => BigInt(c.value) === BigInt(v));
          for (const c of cases) box.append(made("option", c.name + " (" + c.value + ")"));
          cases.forEach((c, i) => { box.options[i].value = c.name; });
          const isOpen = !closed || !known;
          if (isOpen) box.append(new Option("another number", ""));
          box.value = known ? known.name : "";
          const number = isOpen ? integerControl(field, slot) : undefined;
          const draw = () => {
            number.hidden = box.value !== "";
            number.value = number.hidden ? "" : String(slot.get());
          };
          box.onchange = () => {
            field.problem = undefined;
            const last = cases.find(c => c.name === slot.get());
            slot.set(box.value !== "" ? box.value : last ? exact(BigInt(last.value)) : slot.get());
            if (isOpen) draw();
            slot.changed();
          };
          if (!isOpen) return [box];
          number.setAttribute("aria-label", name + " as a number");
          draw();
          return [box, number];
        }

        function flagsControl(field, slot, type, name) {
          const { cases } = tables.flags[type.flags], boxes = [], all = made("div", undefined, "row");
          const bits = () => slot.get().reduce((sum, item) => sum | BigInt(number({ cases, wide: true }, item, "")), 0n);
          const named = () => cases.map(c => BigInt(c.value)).filter(mask => (bits() & mask) === mask).reduce((sum, mask) => sum | mask, 0n);
          const other = integerControl(field, {
            get: () => bits() & ~named(),
            set: v => slot.set(names(cases, named() | BigInt(v)).map(exactItem)),
            changed: () => { draw(); slot.changed(); },
          });
          const draw = () => boxes.forEach(([box, mask]) => { box.checked = (bits() & mask) === mask; });
          for (const c of cases) {
            const mask = BigInt(c.value), box = control("input", "checkbox"), label = made("label", undefined, "check");
            if (mask === 0n) continue;
            box.onchange = () => {
              slot.set(names(cases, box.checked ? bits() | mask : bits() & ~mask).map(exactItem));
              draw();
              field.problem = undefined;
              other.value = String(bits() & ~named());
              slot.changed();
            };
            label.append(box, c.name);
            boxes.push([box, mask]);
            all.append(label);
          }
          const label = made("label", "other bits", "check");
          label.append(other);
          all.append(label);
          draw();
          return [all];
        }

        function exactItem(item) { return typeof item === "bigint" ? exact(item) : item; }

        // Pairs of text.
        function propertiesControl(field, slot, name) {
          const pairs = Array.from(slot.get()), all = made("div");
          const store = () => {
            slot.set(new Map(pairs));
            field.problem = new Set(pairs.map(pair => pair[0])).size < pairs.length ? "two entries have the same key" : undefined;
            slot.changed();
          };
          const draw = () => {
            all.replaceChildren(...pairs.slice(0, mostFields).map((pair, i) => {
              const row = made("div", undefined, "row"), remove = button("Remove", () => {
                pairs.splice(i, 1);
                draw();
                store();
                (all.querySelectorAll("button")[i] || all.lastChild).focus();
              });
              remove.setAttribute("aria-label", "Remove entry " + (i + 1) + " of " + name);
              for (const [k, what] of [[0, "Key "], [1, "Value "]]) {
                const box = control("input", "text");
                box.value = pair[k];
                // A form cannot keep the ends of lines.
                box.readOnly = /[\r\n]/.test(pair[k]);
                box.setAttribute("aria-label", what + (i + 1) + " of " + name);
                box.oninput = () => {
                  pair[k] = box.value;
                  store();
                };
                row.append(box);
              }
              row.append(remove);
              return row;
            }));
            if (pairs.length > mostFields) all.append(made("p", counted(pairs.length - mostFields, "more entry") + " not shown: edit them as JSON.", "quiet"));
            all.append(button("Add", () => {
              pairs.push(["", ""]);
              draw();
              store();
              const boxes = all.querySelectorAll("input");
              boxes[boxes.length - 2].focus();
            }));
          };
          draw();
          return [all];
        }
        """#
}
