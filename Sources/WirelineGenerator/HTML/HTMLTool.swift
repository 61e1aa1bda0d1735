// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The part of the page that reads and writes packets, with the generated JavaScript of the protocol.
struct HTMLTool {
    /// A script of the page. It runs after the document was read.
    struct Script {
        /// The text of the element.
        ///
        /// The page is HTML and XML: the first reads the marks around the code as comments, the second as a section of text.
        let text: String

        init(_ code: String) { text = "//<![CDATA[\n\(code)\n//]]>" }

        /// The source that the content policy allows.
        var source: String { "'sha256-\(Base64.encode(SHA256.hash(of: Array(text.utf8))))'" }

        var element: String { "<script type=\"module\">\(text)</script>" }
    }

    /// The protocol's code, and the program of the tool; none if no code can be generated.
    let scripts: [Script]
    /// Why no code can be generated.
    private let refusal: GenerationError?

    init(_ description: ProtocolDescription) {
        do throws(GenerationError) {
            scripts = [Script(try Self.code(description)), Self.program]
            refusal = nil
        } catch {
            scripts = []
            refusal = error
        }
    }

    /// Returns the module, and what the program uses of it.
    private static func code(_ description: ProtocolDescription) throws(GenerationError) -> String {
        let plan = try CodePlan(description, .script)
        let names =
            ["WireError", "encode", "encodeUnknown", "fromClient", "fromServer", "inspect_packet"]
            + plan.names.messages.map(\.name)
        // Names of the schema do not reach the program: this module ends here.
        return """
            \(TypeScriptModule(plan, .script).text())
            globalThis.wireline = {
              sendersDiffer: \(plan.dependsOnSender), hasWideIDs: \(plan.idRange.isWide),
              tables: \(Self.short(AdapterTables(plan).json)),
              wire: { \(names.joined(separator: ", ")) },
            };
            """
    }

    /// Returns tables without the members that are false, so that pages of many messages stay small.
    private static func short(_ tables: String) -> String {
        ["optional", "since", "wide"].reduce(tables) { $0.replacing(",\"\($1)\":false", with: "") }
    }

    private static let program = Script(TypeScriptJSON.functions + "\n" + HTMLToolScript.text)

    /// The elements of the tool, which the script shows.
    var text: [String] {
        if let refusal {
            let reason = HTMLText.escaped("\(refusal)")
            return ["<p class=\"line\">This page cannot read or write packets: \(reason).</p>"]
        }
        return [
            """
            <div id="try" class="try" hidden="">
            <h2>Try it</h2>
            <p class="line">Paste bytes to see what they mean. Edit a message to see its bytes. Nothing leaves this page.</p>
            <p class="row">
            <label for="sender">Sent by</label>
            <select id="sender"><option value="client">the client</option><option value="server">the server</option></select>
            <label for="example">Example</label>
            <select id="example"></select>
            <a id="link">Link to these bytes</a>
            <button id="clear" type="button">Clear</button>
            </p>
            <label for="bytes">Bytes: hexadecimal digits or Base64</label>
            <textarea id="bytes" rows="4" spellcheck="false" autocomplete="off" aria-describedby="summary"></textarea>
            <p><output id="summary" for="bytes sender" role="status"></output></p>
            <div id="packets"></div>
            <label for="json">A message as JSON</label>
            <textarea id="json" rows="8" spellcheck="false" autocomplete="off" aria-describedby="outcome"></textarea>
            <p><output id="outcome" for="json" role="status"></output></p>
            <pre id="digits" class="written" tabindex="0"></pre>
            <p class="row"><button id="use" type="button">Read these bytes</button></p>
            <div id="written"></div>
            </div>
            """
        ]
    }
}
