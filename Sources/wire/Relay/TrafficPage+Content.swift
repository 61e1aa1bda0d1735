// SPDX-License-Identifier: Apache-2.0

import WirelineWebSocket

extension TrafficPage {
    /// The resources that browsers load; the content policy allows no others.
    static var pages: [String: WebSocketPage] {
        let headers: WebSocketHeaders = [
            "Content-Security-Policy":
                "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
        ]
        return [
            "/": WebSocketPage(document, contentType: "text/html; charset=utf-8", headers: headers),
            "/traffic.css": WebSocketPage(style, contentType: "text/css; charset=utf-8", headers: headers),
            "/traffic.js": WebSocketPage(script, contentType: "text/javascript; charset=utf-8", headers: headers),
        ]
    }

    private static let document = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>wire proxy</title>
        <link rel="stylesheet" href="/traffic.css">
        <link rel="icon" href="data:,">
        <script src="/traffic.js" defer></script>
        </head>
        <body>
        <header>
        <h1 id="protocol">wire proxy</h1>
        <input id="filter" type="search" autocomplete="off" aria-label="Show lines with all of these words"
            placeholder="words of a line: server Cs_20001 :50123">
        <button id="pause" type="button" aria-pressed="false">Pause</button>
        <button id="clear" type="button">Clear</button>
        <output id="state">connecting</output>
        </header>
        <main>
        <table>
        <thead><tr><th>Time</th><th>Connection</th><th>From</th><th>What</th></tr></thead>
        <tbody id="events"></tbody>
        </table>
        </main>
        </body>
        </html>

        """

    private static let style = """
        :root {
            color-scheme: light dark;
            --back: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --edge: #8c959f;
            --client: #0550ae; --server: #8a3b00;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --back: #14171c; --text: #e6e9ed; --quiet: #a3adb8; --line: #363d47; --edge: #6e7681;
                --client: #7cc0ff; --server: #ffb077;
            }
        }
        * { box-sizing: border-box; }
        body {
            margin: 0; background: var(--back); color: var(--text);
            font: 0.875rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
        }
        header {
            position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center;
            padding: 0.5rem 1rem; background: var(--back); border-bottom: 1px solid var(--line);
        }
        h1 { font-size: 1rem; margin: 0; }
        input { flex: 1 1 14rem; min-width: 0; max-width: 32rem; }
        input, button {
            font: inherit; color: inherit; background: var(--back); border: 1px solid var(--edge); border-radius: 6px;
            padding: 0.2rem 0.6rem;
        }
        button[aria-pressed="true"] { background: var(--text); color: var(--back); }
        :focus-visible { outline: 2px solid var(--client); outline-offset: 1px; }
        output { color: var(--quiet); }
        main { padding: 0 1rem 1rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; vertical-align: top; padding: 0.15rem 1rem 0.15rem 0; border-bottom: 1px solid var(--line); }
        th { color: var(--quiet); font-weight: 600; }
        td { white-space: nowrap; }
        td:last-child { white-space: pre-wrap; overflow-wrap: anywhere; width: 100%; padding-right: 0; }
        .client td:nth-child(3) { color: var(--client); }
        .server td:nth-child(3) { color: var(--server); }
        .note td { color: var(--quiet); }
        [hidden] { display: none; }
        @media (max-width: 48rem) {
            thead { display: none; }
            tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line); }
            tr[hidden] { display: none; }
            td { border: 0; }
        }

        """

    private static let script = """
        "use strict";
        const most = 5000;
        const element = id => document.getElementById(id);
        const [body, filter, pause, state] = ["events", "filter", "pause", "state"].map(element);
        let run = 0, last = 0, held = [];

        function words() { return filter.value.toLowerCase().split(/\\s+/).filter(word => word); }

        function matches(row, wanted) {
            const text = row.textContent.toLowerCase();
            return wanted.every(word => text.includes(word));
        }

        function row(kind, cells) {
            const line = document.createElement("tr");
            line.className = kind;
            // The spaces keep the words of two cells apart.
            for (const text of cells) line.insertCell().textContent = text + " ";
            line.hidden = !matches(line, words());
            return line;
        }

        function eventRow(event) {
            const time = new Date(event.time);
            const digits = String(time.getMilliseconds()).padStart(3, "0");
            return row(event.sender || "note", [
                time.toLocaleTimeString([], { hour12: false }) + "." + digits, event.connection, event.sender, event.text,
            ]);
        }

        function show(message) {
            element("protocol").textContent = message.protocol;
            document.title = message.protocol + " – wire proxy";
            const isFollowing = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
            if (message.run !== run) [run, last] = [message.run, 0];
            // After a connection that was lost come all that the proxy remembers.
            const events = message.events.filter(event => event.number > last);
            if (events.length) {
                const missed = last ? events[0].number - last - 1 : 0;
                if (missed) body.append(row("note", ["", "", "", `${missed} lines were left out`]));
                body.append(...events.map(eventRow));
                last = events[events.length - 1].number;
            }
            while (body.rows.length > most) body.firstChild.remove();
            if (isFollowing) scrollTo(0, document.documentElement.scrollHeight);
            count();
        }

        function count() {
            const rows = [...body.rows], shown = rows.filter(row => !row.hidden).length;
            const lines = shown === rows.length ? `${shown} lines` : `${shown} of ${rows.length} lines`;
            state.textContent = held.length ? lines + ", more wait" : lines;
        }

        function connect() {
            const socket = new WebSocket(location.origin.replace("http", "ws") + "/");
            socket.onmessage = message => {
                held.push(JSON.parse(message.data));
                if (pause.getAttribute("aria-pressed") === "true") {
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

        filter.oninput = () => {
            const wanted = words();
            for (const row of body.rows) row.hidden = !matches(row, wanted);
            count();
        };
        pause.onclick = () => {
            const isPaused = pause.getAttribute("aria-pressed") !== "true";
            pause.setAttribute("aria-pressed", isPaused);
            if (!isPaused) for (const message of held.splice(0)) show(message);
            count();
        };
        element("clear").onclick = () => {
            body.replaceChildren();
            count();
        };
        connect();

        """
}
