// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// A page of documentation in a frame of a browser.
enum FramedPage {
    /// Loads a page into a frame, and runs a script that can use the `frame`, its window `w` and its document `d`.
    /// Returns the lines that the script passed to `say`. A message on the console is a failure.
    static func lines(of page: String, isDark: Bool = false, _ script: String) throws -> [String] {
        let quoted = page.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        let harness = """
            <!DOCTYPE html><meta charset="utf-8"><body>
            <iframe style="width:1200px;height:800px;border:0" srcdoc="\(quoted)"></iframe><pre id="said"></pre>
            <script>
            window.onload = () => {
                const frame = document.querySelector("iframe"), w = frame.contentWindow, d = w.document, said = [];
                const say = (text) => said.push(String(text));
                try { \(script) } catch (error) { say("thrown: " + error); }
                document.getElementById("said").textContent = "said\\n" + said.join("\\n") + "\\ndone";
            };
            </script>
            """
        let outcome = try ChromiumTool.load(harness, isDark: isDark)
        #expect(outcome.console == [])
        let match = try #require(outcome.document.firstMatch(of: /<pre id="said">said\n([\s\S]*)\ndone<\/pre>/))
        return String(match.1).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
