// SPDX-License-Identifier: Apache-2.0

extension TrafficPage {
    static let script = #"""
        "use strict";
        const most = 5000, bytesInRow = 16;
        const element = id => document.getElementById(id);
        const [body, filter, one, faults, pause, state] =
            ["events", "filter", "one", "faults", "pause", "state"].map(element);
        const isOn = button => button.getAttribute("aria-pressed") === "true";
        // The rows of the events, the oldest first; and the only connection that is shown, if it is one.
        let lines = [], only = null;
        let run = 0, last = 0, held = [];

        // What is shown.

        function words() { return filter.value.toLowerCase().split(/\s+/).filter(word => word); }

        function isWanted(line, wanted) {
            const event = line.event;
            return (only === null || event.connection === only) && (!isOn(faults) || event.kind === "fault")
                && wanted.every(word => line.words.includes(word));
        }

        function choose() {
            const wanted = words();
            for (const line of lines) {
                line.hidden = !isWanted(line, wanted);
                if (line.detail) line.detail.hidden = line.hidden;
            }
            count();
        }

        function count() {
            const shown = lines.filter(line => !line.hidden).length;
            const text = shown === lines.length ? `${shown} lines` : `${shown} of ${lines.length} lines`;
            state.textContent = held.length ? text + ", more wait" : text;
        }

        function showOnly(connection) {
            only = connection;
            one.hidden = only === null;
            one.textContent = `Connection #${only} ✕`;
            one.setAttribute("aria-label", `Showing only connection ${only}: show all again`);
            choose();
        }

        // A row.

        function button(text, label, action) {
            const made = document.createElement("button");
            made.type = "button";
            made.textContent = text;
            made.setAttribute("aria-label", label);
            made.onclick = event => {
                event.stopPropagation();
                action();
            };
            return made;
        }

        function clock(time) {
            const date = new Date(time);
            const digits = String(date.getMilliseconds()).padStart(3, "0");
            return date.toLocaleTimeString([], { hour12: false }) + "." + digits;
        }

        function span(microseconds) {
            if (microseconds === undefined) return "";
            if (microseconds < 1000) return `${microseconds} µs`;
            if (microseconds < 1e6) return `${(microseconds / 1000).toFixed(1)} ms`;
            return `${(microseconds / 1e6).toFixed(2)} s`;
        }

        function row(event) {
            const line = document.createElement("tr");
            line.className = ["line", event.kind, event.sender].filter(name => name).join(" ");
            line.event = event;
            // The spaces keep the words of two cells apart.
            const cells = [
                event.time ? clock(event.time) : "", "", event.sender || "", event.text, span(event.replyTime),
            ].map(text => {
                const cell = line.insertCell();
                cell.textContent = text + " ";
                return cell;
            });
            if (event.connection) {
                const name = `#${event.connection}`;
                const label = `${name}, ${event.client}: show only this connection`;
                cells[1].replaceChildren(button(name, label, () => showOnly(event.connection)), " ");
                cells[1].firstChild.title = event.client;
            }
            line.words = [line.textContent, event.client].join(" ").toLowerCase();
            if (event.parts && event.parts.length || event.link) {
                const toggle = button("", "Fields and bytes", () => open(line));
                toggle.className = "open";
                toggle.setAttribute("aria-expanded", "false");
                cells[3].prepend(toggle);
                line.classList.add("opens");
                // Whoever selects text does not want to open the row.
                line.onclick = () => { if (getSelection().isCollapsed) open(line); };
            }
            line.hidden = !isWanted(line, words());
            return line;
        }

        function remove(line) {
            if (line.detail) line.detail.remove();
            line.remove();
        }

        // The fields and bytes of a packet.

        function open(line) {
            const isOpen = Boolean(line.detail);
            line.querySelector(".open").setAttribute("aria-expanded", !isOpen);
            if (isOpen) {
                line.detail.remove();
                line.detail = null;
                return;
            }
            line.detail = document.createElement("tr");
            line.detail.className = "detail";
            const cell = line.detail.insertCell();
            cell.colSpan = 5;
            const scroll = document.createElement("div");
            scroll.className = "scroll";
            if (line.event.parts.length) scroll.append(table(line.event.parts));
            if (line.event.link) scroll.append(link(line.event));
            cell.append(scroll);
            line.after(line.detail);
        }

        // The page of the protocol decodes the bytes again, and encodes what a user changes.
        function link(event) {
            const made = document.createElement("a");
            made.href = "/protocol" + event.link;
            made.target = "_blank";
            made.textContent = "Read and edit these bytes";
            return made;
        }

        function table(parts) {
            const made = document.createElement("table");
            made.className = "bytes";
            const head = made.createTHead().insertRow();
            for (const name of ["Offset", "Bytes", "Text", "Field", "Value"]) {
                const cell = document.createElement("th");
                cell.textContent = name;
                head.append(cell);
            }
            const rows = made.createTBody();
            for (const part of parts) for (const line of partRows(part)) rows.append(line);
            return made;
        }

        // The bytes of a long part fill several rows.
        function partRows(part) {
            const isHidden = /[^0-9a-f …]/.test(part.bytes);
            const [first, second] = part.bytes.split(" ");
            const prefix = second === undefined || isHidden ? "" : first;
            const content = isHidden ? "" : second === undefined ? first : second;
            const made = [];
            for (let start = 0; start === 0 || start < content.length; start += 2 * bytesInRow) {
                const digits = content.slice(start, start + 2 * bytesInRow), line = document.createElement("tr");
                if (part.isFault) line.className = "fault";
                const isFirst = start === 0;
                const offset = part.offset + (isFirst ? 0 : (prefix.length + start) / 2);
                const cells = [offset, "", readable(digits), isFirst ? part.field : "", isFirst ? part.value : ""];
                for (const text of cells) line.insertCell().textContent = text;
                if (prefix && isFirst) {
                    const count = document.createElement("span");
                    count.className = "prefix";
                    count.textContent = pairs(prefix) + "  ";
                    line.cells[1].append(count);
                }
                line.cells[1].append(isHidden ? part.bytes : pairs(digits));
                made.push(line);
            }
            return made;
        }

        function pairs(digits) { return digits.replace(/..(?=.)/g, "$& "); }

        // Bytes as text, if most of them are text.
        function readable(digits) {
            const bytes = Uint8Array.from((digits.match(/[0-9a-f]{2}/g) || []).map(pair => parseInt(pair, 16)));
            try {
                const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
                if (!/\p{C}/u.test(text)) return text;
            } catch {
                // Not all of it is UTF-8: the letters of ASCII are shown.
            }
            const letters = [...bytes].map(byte => byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : "·");
            return letters.filter(letter => letter !== "·").length * 2 > letters.length ? letters.join("") : "";
        }

        // What the proxy sends.

        function show(message) {
            element("protocol").textContent = message.protocol;
            document.title = message.protocol + " – wire proxy";
            const isFollowing = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
            if (message.run !== run) [run, last] = [message.run, 0];
            // After a connection that was lost come all that the proxy remembers.
            const events = message.events.filter(event => event.number > last);
            if (events.length) {
                const missed = last ? events[0].number - last - 1 : 0;
                const note = { kind: "note", text: `${missed} lines were left out` };
                const added = (missed ? [note] : []).concat(events).map(row);
                lines.push(...added);
                body.append(...added);
                last = events[events.length - 1].number;
            }
            lines.splice(0, Math.max(0, lines.length - most)).forEach(remove);
            if (isFollowing) scrollTo(0, document.documentElement.scrollHeight);
            count();
        }

        function connect() {
            const socket = new WebSocket(location.origin.replace("http", "ws") + "/");
            socket.onmessage = message => {
                held.push(JSON.parse(message.data));
                if (isOn(pause)) {
                    if (held.length > most) held.shift();
                    return count();
                }
                for (const message of held.splice(0)) show(message);
            };
            socket.onclose = () => {
                state.textContent = "the proxy has gone; trying again";
                setTimeout(connect, 1000);
            };
        }

        // What is shown, one line of JSON for each row.
        function exported() {
            return lines.filter(line => !line.hidden && line.event.number).map(({ event }) => JSON.stringify({
                time: new Date(event.time).toISOString(), connection: event.connection, client: event.client,
                from: event.sender || null, kind: event.kind, text: event.text, replyMicroseconds: event.replyTime,
                parts: event.parts,
            }) + "\n").join("");
        }

        // The buttons.

        filter.oninput = choose;
        one.onclick = () => showOnly(null);
        faults.onclick = () => {
            faults.setAttribute("aria-pressed", !isOn(faults));
            choose();
        };
        pause.onclick = () => {
            pause.setAttribute("aria-pressed", !isOn(pause));
            if (!isOn(pause)) for (const message of held.splice(0)) show(message);
            count();
        };
        element("clear").onclick = () => {
            lines.splice(0).forEach(remove);
            count();
        };
        element("export").onclick = () => {
            const link = document.createElement("a");
            link.href = URL.createObjectURL(new Blob([exported()], { type: "application/x-ndjson" }));
            link.download = `${element("protocol").textContent}-${new Date().toISOString().replace(/[:.]/g, "-")}.jsonl`;
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        };
        connect();

        """#
}
