// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Documentation pages in a browser.
@Suite(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)), .aside)
struct BrowserTests {
    /// Runs a script for the page of a protocol: see ``FramedPage``.
    private static func lines(
        of name: String, isDark: Bool = false, _ script: String
    ) throws -> [String] {
        let folder = try name == ProtocolFolder.names.name ? ProtocolFolder.names : .named(name)
        return try FramedPage.lines(
            of: HTMLGenerator(folder.translator.description).files()[0].text, isDark: isDark, script)
    }

    private static let names = ["Features", "Names", "Telemetry"]

    @Test(arguments: names)
    func `a page is never wider than its window`(_ name: String) throws {
        let script = """
            for (const width of [320, 400, 700, 1200]) {
                frame.style.width = width + "px";
                const root = d.documentElement;
                say(width + ": " + (root.scrollWidth - root.clientWidth));
                for (const element of d.querySelectorAll("article, .bytes li, td, p, pre, h3")) {
                    const box = element.getBoundingClientRect();
                    if (box.right > root.clientWidth + 1) { say("too wide: " + element.outerHTML.slice(0, 200)); }
                }
            }
            """
        #expect(try Self.lines(of: name, script) == ["320: 0", "400: 0", "700: 0", "1200: 0"])
    }

    /// What the page shows after a search: entries, and rows of tables that link to them.
    private static let search = """
        const visible = (element) => element.closest("[hidden]") === null;
        const ids = () => [...d.querySelectorAll("article, tr[data-for], tr[data-entry]")].filter(visible)
            .map((e) => e.id || "row:" + e.dataset.for);
        const search = (text) => {
            d.getElementById("query").value = text;
            d.getElementById("query").dispatchEvent(new w.Event("input"));
        };
        const press = (element, key) =>
            element.dispatchEvent(new w.KeyboardEvent("keydown", { key: key, bubbles: true, cancelable: true }));
        """

    private struct Search {
        let text: String
        /// The messages that were found, which have rows in tables, too.
        var messages: [String] = []
        var others: [String] = []
        var headings: [String]

        /// What the script returns after the search.
        var lines: [String] {
            let entries = messages.map { "message-" + $0 } + others
            let found = (entries + messages.map { "row:message-" + $0 }).sorted().joined(separator: " ")
            return [text, found, "\(entries.count) found", headings.joined(separator: ", ")]
        }
    }

    private static let searches = [
        "Scene": [
            Search(
                text: "cs_20001", messages: ["Cs_20001", "Sc_20001"],
                headings: ["Client to server", "Server to client"]),
            Search(text: "DefaultCombat", messages: ["Sc_20001"], headings: ["Server to client"]),
            Search(text: "附言 line", messages: ["Cs_20001"], headings: ["Client to server"]),
            Search(text: "0x4E21 strength", messages: ["Sc_20001"], headings: ["Server to client"]),
        ],
        "Telemetry": [
            Search(text: "0x0201", messages: ["Position"], headings: ["Client to server"]),
            Search(text: "0x201", messages: ["Position"], headings: ["Client to server"]),
            Search(text: " 513 ", messages: ["Position"], headings: ["Client to server"]),
            Search(text: "workshop", messages: ["Labels"], headings: ["Both ways"]),
            Search(text: "overheated", others: ["flags-Alarm"], headings: ["Flags"]),
            Search(text: "cells", others: ["const-cells"], headings: ["Constants"]),
            Search(text: "is_replay", others: ["packet"], headings: ["Packet"]),
            Search(text: "nothing like it", headings: []),
        ],
    ]

    @Test(arguments: searches.keys.sorted())
    func `a search leaves only what matches`(_ name: String) throws {
        let searches = try #require(Self.searches[name])
        let calls = searches.map { "look(\"\($0.text)\");" }.joined()
        let script = """
            \(Self.search)
            const headings = () => [...d.querySelectorAll("h2, #introduction")].filter(visible);
            const look = (text) => {
                search(text); say(text); say(ids().sort().join(" ")); say(d.getElementById("found").textContent);
                say(headings().map((element) => element.textContent).join(", "));
            };
            \(calls)
            search(""); say(d.querySelectorAll("main [hidden]:not(#try *)").length);
            """
        #expect(try Self.lines(of: name, script) == searches.flatMap(\.lines) + ["0"])
    }

    @Test func `the search works with the keyboard, and a link ends it`() throws {
        let script = """
            \(Self.search)
            say(d.getElementById("search").hidden);
            press(d.body, "/"); say(d.activeElement.id);
            search("batch"); say(ids().sort().join(" "));
            d.getElementById("search").requestSubmit(); say(d.activeElement.getAttribute("href"));
            const link = d.querySelector('#message-Hello a[href="#message-Welcome"]');
            link.click(); say(d.getElementById("query").value === ""); say(visible(d.getElementById("message-Welcome")));
            search("batch"); press(d.activeElement, "Escape"); say(d.querySelectorAll("main [hidden]:not(#try *)").length);
            """
        #expect(
            try Self.lines(of: "Telemetry", script) == [
                "false", "query", "message-Hello row:message-Hello", "#message-Hello", "true", "true", "0",
            ])
    }

    @Test func `an address can contain a search`() throws {
        let description = try ProtocolFolder.named("Telemetry").translator.description
        // Inserted before the page's policy, which forbids other scripts.
        let script = "<head><script>history.replaceState(null, '', '?q=0x201%20altitude')</script>"
        let page = HTMLGenerator(description).files()[0].text.replacing("<head>", with: script)
        let outcome = try ChromiumTool.load(page)
        #expect(outcome.console == [])
        let articles = outcome.value.matches(of: /<article [^>]*>/).map { String($0.0) }
        #expect(articles.count > 10)
        let found = articles.filter { !$0.contains("hidden") }
        #expect(found == ["<article id=\"message-Position\" data-entry=\"\" data-number=\"513\">"])
    }

    /// WCAG 2.2 §1.4.3: at least 4.5 to 1.
    @Test(arguments: [false, true])
    func `all text has enough contrast with its background`(isDark: Bool) throws {
        let script = """
            const parts = (color) => color.match(/[\\d.]+/g).map(Number);
            const light = (color) => parts(color).slice(0, 3).map((part) => part / 255)
                .map((part) => part > 0.04045 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92)
                .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
            const behind = (element) => {
                for (let e = element; e !== null; e = e.parentElement) {
                    const color = w.getComputedStyle(e).backgroundColor;
                    if (parts(color)[3] !== 0) { return color; }
                }
                return "rgb(255, 255, 255)";
            };
            say(light(behind(d.body)) > 0.5 ? "light" : "dark");
            const pairs = new Set();
            d.getElementById("message-Hello").id = "other";
            // A fault has a colour, too.
            d.getElementById("bytes").value = "55aa2e0000ff0101"; d.getElementById("bytes").dispatchEvent(new w.Event("input"));
            d.getElementById("json").value = "{"; d.getElementById("json").dispatchEvent(new w.Event("input"));
            say(d.querySelectorAll(".fault:not([hidden])").length);
            for (const element of d.querySelectorAll("main *, header *, .bar *")) {
                if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "")) { continue; }
                const [front, back] = [w.getComputedStyle(element).color, behind(element)];
                const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
                pairs.add(front + back);
                const contrast = (a + 0.05) / (b + 0.05);
                if (contrast < 4.5) { say(element.outerHTML.slice(0, 100) + " " + contrast); }
            }
            say(pairs.size > 5);
            """
        #expect(try Self.lines(of: "Telemetry", isDark: isDark, script) == [isDark ? "dark" : "light", "2", "true"])
    }
}
