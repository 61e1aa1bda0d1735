// SPDX-License-Identifier: Apache-2.0

// The program of the tool that reads and writes packets in a page of documentation. It has no text from a schema.
//
// Comments mark its regions, which stay for features of the protocol: `#region layers`, or inside of a line `/*layers{*/ … /*}*/`.
// What a page has without the feature stands in a comment, as in `/*!layers{ … }*/`. Browsers compress and inflate later, with promises,
// so in the page of a protocol with layers some functions are `async`. Indentation and comments do not reach the page.

// #region tool
const { wire, tables, examples, sendersDiffer, hasWideIDs/*layers{*/, layers/*}*/ } = globalThis.wireline;

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

/*layers{*/async /*}*/function readBytes() {
// #region layers
const run = ++reading;
// #endregion
  const found = pasted(input.value), from = sender.value;
  packets.replaceChildren();
  const isRead = typeof found !== "string";
  input.setAttribute("aria-invalid", String(!isRead));
  summary.textContent = isRead ? "" : found;
  link.href = "#from=" + from + linkedStates() + "&bytes=" + (isRead ? hex(found) : "");
  if (!isRead || found.length === 0) return;
  const wrong = /*layers{*/wrongKey() || /*}*/all(get("states")).find(element => element.problem);
  if (wrong) {
    summary.textContent = wrong.dataset.path + ": " + wrong.problem;
    return;
  }
  const shared = connection(start);
  let at = 0, count = 0;
  while (at < found.length && count < mostPackets) {
    const states = statesOf(shared), seen = /*layers{*/await settled(() => /*}*/wire.inspect_packet(found.subarray(at), sideOf(from), ...shared)/*layers{*/)/*}*/;
// #region layers
if (run !== reading) return;
// #endregion
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
  return place + error.kind.replace(/_/g, " ") + (error.offset === undefined ? "" : " at offset " + error.offset)/*layers{*/ + needed(error)/*}*/;
}

function shownPacket(seen, at, from, states, after/*layers{*/, left/*}*/) {
  const { packet, error } = seen;
  const element = made("section", undefined, "packet"), title = made("p", undefined, "row");
  const name = packet ? /*layers{*/packet.packets ? counted(packet.packets.length, "packet") + " in a packet" : /*}*/packet.name || "unknown message" : error ? "no valid packet" : "incomplete packet";
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
  element.append(/*layers{*/...tablesOf(seen, from, states, undefined, left)/*}*//*!layers{table(seen, rowsOf(seen))}*/);
  return element;
}

// Values that contain others come after them: this makes each the parent of the deeper ones before it.
function tree(parts) {
  const roots = [];
  for (const part of parts) {
    let first = roots.length;
    while (first && roots[first - 1].depth > part.depth) first--;
    roots.push({ part, depth: part.depth, inside: roots.splice(first) });
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
  take(pretty(/*layers{*/parse(print(lineOf(message)))/*}*//*!layers{new Map(Object.entries(line(message)))}*/, ""), states);
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
/*layers{*/async /*}*/function write() {
// #region layers
const run = ++writing;
// #endregion
  let made, fault, from = sender.value;
  const wrong = /*layers{*/wrongKey() || /*}*/all(form).find(element => element.problem);
  if (wrong) fault = { path: wrong.dataset.path, kind: wrong.problem };
  else if (packet !== undefined) try {
    const name = member(packet, "message", null);
    if (!(packet instanceof Map)) refuse("wrong_kind", "");
    const known = /*layers{*/firstMessage(packet)/*}*//*!layers{tables.messages.find(m => m.name === name || m.other === name)}*/;
    if (known && !known.from.includes(from)) from = known.from[0];
    made = /*layers{*/await settled(() => encodeLine(packet, sideOf(from), connection(before)))/*}*//*!layers{encode(packet, sideOf(from), connection(before))}*/;
  } catch (error) {
    if (!(error instanceof Refused || error instanceof wire.WireError)) throw error;
    fault = error;
  }
  // #region layers
  if (run !== writing) return false;
  // #endregion
  /*layers{*/return /*}*/showMade(made, from, fault, fault ? reason(fault) : "");
}

/*layers{*/async /*}*/function showMade(made, from, fault, problem) {
// #region layers
const run = ++writing;
// #endregion
  const seen = made && /*layers{*/await settled(() => /*}*/wire.inspect_packet(made, sideOf(from), ...connection(before))/*layers{*/)/*}*/;
// #region layers
if (run !== writing) return false;
// #endregion
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
  const rows = made ? rowsOf(/*layers{*/levelsOf(seen)[0]/*}*//*!layers{seen}*/) : [];
  showDigits(made, seen, rows);
  written.replaceChildren();
  if (made) written.append(/*layers{*/...tablesOf(seen, from, before, /*}*//*!layers{table(seen, rows, }*/new Map(all(form).map(element => [element.dataset.path, element]))));
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
// #region layers
return true;
// #endregion
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

/*!layers{function connection(states) { return tables.states.length ? [new wire.Connection(numbersOf(states))] : []; }}*/

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
    /*layers{*/Array.isArray(packet.get("packets")) ? made("p", counted(packet.get("packets").length, "packet") + " in this packet: edit them as JSON.", "quiet") : /*}*/field({ name: "payload", type: "bytes", isHex: true }, place(packet, "payload", changed), "payload"));
  form.append(...parts);
}

/*layers{*/async /*}*/function changed() {
  isEdited = true;
  /*!layers{write();}*/
  /*layers{*/if (await write()) /*}*/editor.value = pretty(packet, "");
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
  const { seen, fault } = result, parts = new Map(seen ? /*layers{*/levelsOf(seen).flatMap(level => level.parts.map(part => [part.path, { ...part, bytes: level.bytes }]))/*}*//*!layers{seen.parts.map(part => [part.path, part])}*/ : []);
  for (const element of all(form)) {
    const { own, fault: text, first } = insides.get(element), part = parts.get(element.dataset.path);
    own.textContent = part ? short(/*layers{*/part/*}*//*!layers{seen}*/.bytes.subarray(part.from, part.to)) : "";
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
// #endregion

// #region layering
// Keys, what opens and seals layers, and how opened packets are shown.
//
// The module wants its functions for layers to return at once, and browsers compress and inflate later. So a function looks for its
// result among those that are there. If it is not there, the function starts to make it, adds the promise to `waiting`, and throws.
// `settled` waits for the promises and runs the same again.

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

// #region inflates
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
// #endregion

// #region aes
// The block cipher of AES (FIPS 197), as the module wants it: at once.
//
// Browsers have AES with promises, in secure pages only, and Chromium without keys of 24 bytes. A page reads few packets, so these
// functions need not be fast: 1 MiB takes about a tenth of a second.
const doubled = x => (x << 1 ^ (x & 128 ? 0x11b : 0)) & 255;
const product = (x, k) => k === 0 ? 0 : (k & 1 ? x : 0) ^ product(doubled(x), k >> 1);
const times = Object.fromEntries([1, 2, 3, 9, 11, 13, 14].map(k => [k, Uint8Array.from({ length: 256 }, (_, x) => product(x, k))]));
const substitutes = new Uint8Array(256), originals = new Uint8Array(256);
// p takes all values but 0, and q is its inverse.
for (let p = 1, q = 1, i = 0; i < 255; i++) {
  const x = q * 0x0101;
  const s = (x ^ x >> 7 ^ x >> 6 ^ x >> 5 ^ x >> 4 ^ 0x63) & 255;
  substitutes[p] = s;
  p ^= doubled(p);
  q ^= q << 1;
  q ^= q << 2;
  q = (q ^ q << 4) & 255;
  if (q & 128) q ^= 9;
}
substitutes[0] = 0x63;
substitutes.forEach((s, x) => { originals[s] = x; });

// The key of each round, of the key that was used last.
const rounds = { key: undefined, keys: undefined };

function roundKeys(key) {
  if (rounds.key === key) return rounds.keys;
  const n = key.length, keys = new Uint8Array(16 * (n / 4 + 7));
  keys.set(key);
  for (let p = n, constant = 1; p < keys.length; p += 4) {
    let word = keys.slice(p - 4, p);
    if (p % n === 0) {
      word = Uint8Array.of(word[1], word[2], word[3], word[0]).map(x => substitutes[x]);
      word[0] ^= constant;
      constant = doubled(constant);
    } else if (n === 32 && p % n === 16) word = word.map(x => substitutes[x]);
    for (let i = 0; i < 4; i++) keys[p + i] = keys[p + i - n] ^ word[i];
  }
  Object.assign(rounds, { key, keys });
  return keys;
}

function aes(key, blocks, encrypts) {
  const keys = roundKeys(key), last = keys.length / 16 - 1, out = Uint8Array.from(blocks), s = new Uint8Array(16);
  const box = encrypts ? substitutes : originals, step = encrypts ? 5 : 13, [a, b, c, d] = (encrypts ? [2, 3, 1, 1] : [14, 11, 13, 9]).map(k => times[k]);
  const add = (p, round) => { for (let i = 0; i < 16; i++) out[p + i] ^= keys[16 * round + i]; };
  const mix = p => {
    for (let i = p; i < p + 16; i += 4) {
      const w = out[i], x = out[i + 1], y = out[i + 2], z = out[i + 3];
      out[i] = a[w] ^ b[x] ^ c[y] ^ d[z];
      out[i + 1] = d[w] ^ a[x] ^ b[y] ^ c[z];
      out[i + 2] = c[w] ^ d[x] ^ a[y] ^ b[z];
      out[i + 3] = b[w] ^ c[x] ^ d[y] ^ a[z];
    }
  };
  for (let p = 0; p < out.length; p += 16) {
    add(p, encrypts ? 0 : last);
    for (let round = 1; round <= last; round++) {
      for (let i = 0; i < 16; i++) s[i] = box[out[p + step * i % 16]];
      out.set(s, p);
      if (encrypts && round < last) mix(p);
      add(p, encrypts ? round : last - round);
      if (!encrypts && round < last) mix(p);
    }
  }
  return out;
}
// #endregion

const programLayers = {};
// #region inflates
for (const { name, word } of layers.kinds) if (isSupported(word)) programLayers[name] = compressed(word);
// #endregion
function connection(/*states{*/states/*}*/) { return [new wire.Connection({ layers: programLayers/*states{*/, states: numbersOf(states)/*}*//*keys{*/, keys: Object.fromEntries(keys)/*}*//*aes{*/, aes/*}*//*threshold{*/, threshold/*}*/ })]; }

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
// #endregion

// #region start
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
// #region layers
drawKeys();
// #endregion
if (!tables.messages.length || !showExample(tables.messages[0].name, true)) choose();
follow();
// #endregion
