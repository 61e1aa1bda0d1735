// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// A page of documentation in a frame of a browser.
enum FramedPage {
    /// Loads a page into a frame, and runs a script that can use the `frame`, its window `w` and its document `d`.
    /// Returns the lines that the script passed to `say`. A message on the console is a failure.
    ///
    /// The script may wait for promises: `await idle()` waits until the page opens and seals no more layers.
    static func lines(of page: String, isDark: Bool = false, _ script: String) throws -> [String] {
        let quoted = page.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        let harness = """
            <!DOCTYPE html><meta charset="utf-8"><body>
            <iframe id="page" style="width:1200px;height:800px;border:0" srcdoc="\(quoted)"></iframe>
            <script>
            const frame = document.getElementById("page");
            const said = new Promise((resolve) => frame.addEventListener("load", async () => {
                const w = frame.contentWindow, d = w.document, lines = [], channel = new MessageChannel();
                const say = (text) => lines.push(String(text));
                const turn = () => new Promise((resolve) => { channel.port1.onmessage = resolve; channel.port2.postMessage(""); });
                const idle = async () => { do { await turn(); } while (d.getElementById("try").getAttribute("aria-busy") === "true"); };
                try { \(script) } catch (error) { say("thrown: " + error); }
                resolve(lines.join("\\n"));
            }, { once: true }));
            </script>
            """
        let outcome = try ChromiumTool.load(harness, isDark: isDark, expression: "said")
        #expect(outcome.console == [])
        return outcome.value.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
