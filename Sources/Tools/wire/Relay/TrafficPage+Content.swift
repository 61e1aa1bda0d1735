// SPDX-License-Identifier: Apache-2.0

import WirelineGenerator
import WirelineSchema
import WirelineWebSocket

extension TrafficPage {
    /// Returns the pages. Their content policies allow no other resources.
    static func pages(for description: ProtocolDescription) -> [String: WebSocketPage] {
        let headers = headers(allowing: "default-src 'self'; img-src data:; ")
        // The reference page can also decode packets. It has its own policy for its scripts.
        let reference = HTMLGenerator(description).files().first?.text ?? ""
        return [
            "/": WebSocketPage(document, contentType: "text/html; charset=utf-8", headers: headers),
            "/traffic.css": WebSocketPage(style, contentType: "text/css; charset=utf-8", headers: headers),
            "/traffic.js": WebSocketPage(script, contentType: "text/javascript; charset=utf-8", headers: headers),
            "/protocol": WebSocketPage(
                reference, contentType: "text/html; charset=utf-8", headers: Self.headers(allowing: "")),
        ]
    }

    private static func headers(allowing sources: String) -> WebSocketHeaders {
        [
            "Content-Security-Policy": sources + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
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
        <h1><a id="protocol" href="/protocol">wire proxy</a></h1>
        <input id="filter" type="search" autocomplete="off" aria-label="Show lines with all of these words"
            placeholder="words of a line: server Sc_20001 :50123">
        <button id="one" type="button" hidden></button>
        <button id="faults" type="button" aria-pressed="false">Faults</button>
        <button id="pause" type="button" aria-pressed="false">Pause</button>
        <button id="clear" type="button">Clear</button>
        <button id="export" type="button">Export</button>
        <output id="state">connecting</output>
        </header>
        <main>
        <table>
        <thead>
        <tr><th>Time</th><th>Connection</th><th>From</th><th>What</th><th>Reply after</th></tr>
        </thead>
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
            --client: #0550ae; --server: #8a3b00; --unknown: #6639ba; --fault: #b3152b; --raised: #f4f6f8;
            --alarm: #ffebe9;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --back: #14171c; --text: #e6e9ed; --quiet: #a3adb8; --line: #363d47; --edge: #6e7681;
                --client: #7cc0ff; --server: #ffb077; --unknown: #cbacff; --fault: #ff9a92; --raised: #1d2229;
                --alarm: #3a1d20;
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
        a { color: var(--client); }
        h1 a { color: inherit; text-decoration: none; }
        input { flex: 1 1 14rem; min-width: 0; max-width: 32rem; }
        input, button {
            font: inherit; color: inherit; background: var(--back); border: 1px solid var(--edge); border-radius: 6px;
            padding: 0.2rem 0.6rem;
        }
        button { cursor: pointer; }
        button[aria-pressed="true"], #one { background: var(--text); color: var(--back); }
        :focus-visible { outline: 2px solid var(--client); outline-offset: 1px; }
        output { color: var(--quiet); }
        main { padding: 0 1rem 1rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; vertical-align: top; padding: 0.15rem 1rem 0.15rem 0; border-bottom: 1px solid var(--line); }
        th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
        td { white-space: nowrap; }
        .line td:nth-child(4) { white-space: pre-wrap; overflow-wrap: anywhere; width: 100%; }
        .line td:last-child { padding-right: 0; text-align: right; color: var(--quiet); }
        .line td button { border: 0; padding: 0; background: none; }
        .line td:nth-child(2) button { color: inherit; text-decoration: underline dotted; }
        .opens { cursor: pointer; }
        .opens .open::before { content: "▸ "; color: var(--quiet); }
        .opens .open[aria-expanded="true"]::before { content: "▾ "; }
        .opens:hover td { background: var(--raised); }
        .client td:nth-child(3) { color: var(--client); }
        .server td:nth-child(3) { color: var(--server); }
        .note td { color: var(--quiet); }
        .unknown td:nth-child(4) { color: var(--unknown); }
        .line.fault td { background: var(--alarm); }
        .line.fault td:nth-child(4) { color: var(--fault); font-weight: 600; }
        .line.fault td:nth-child(4)::before { content: "✗ "; }
        .detail > td { padding: 0; background: var(--raised); white-space: normal; }
        .scroll { overflow-x: auto; max-height: 32rem; padding: 0.25rem 0 0.5rem 1.5rem; }
        .bytes { width: auto; }
        .bytes th, .bytes td { border: 0; padding: 0.05rem 1.25rem 0.05rem 0; white-space: pre; }
        .bytes td:first-child { text-align: right; color: var(--quiet); }
        .bytes td:nth-child(3), .bytes .prefix { color: var(--quiet); }
        .bytes td:last-child { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 12rem; max-width: 48rem; }
        .bytes .fault td { color: var(--fault); font-weight: 600; }
        [hidden] { display: none !important; }
        @media (max-width: 48rem) {
            header, main { padding-left: 0.6rem; padding-right: 0.6rem; }
            h1, output { flex-basis: 100%; }
            #events { display: block; }
            main > table > thead { display: none; }
            .line { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line); padding: 0.2rem 0; }
            .line td { border: 0; padding: 0 0.75rem 0 0; }
            .line td:nth-child(4) { order: 1; flex-basis: 100%; padding-right: 0; }
            .line td:last-child { margin-left: auto; }
            .line.fault { background: var(--alarm); }
            .detail, .detail > td { display: block; }
            .scroll { padding-left: 0; max-width: calc(100vw - 1.2rem); }
            .bytes, .bytes tbody { display: block; }
            .bytes thead, .bytes td:empty { display: none; }
            .bytes tr { display: flex; flex-wrap: wrap; }
            .bytes td { padding-right: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
            .bytes td:first-child { flex: 0 0 3.25rem; }
            .bytes td:nth-child(2) { order: 1; flex: 0 0 calc(100% - 3.25rem); margin-left: auto; }
            .bytes td:nth-child(3) { order: 2; flex: 0 0 calc(100% - 3.25rem); margin-left: auto; }
            .bytes td:nth-child(4) { font-weight: 600; }
            .bytes td:last-child { flex: 1; min-width: 0; }
        }

        """
}
