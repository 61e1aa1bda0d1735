// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// The page's tool that reads and writes packets, with the generated JavaScript of the protocol.
struct HTMLTool {
    /// A script of the page. It runs after the document was read.
    struct Script {
        /// The text of the element.
        ///
        /// The page is HTML and XML: HTML reads the marks around the code as comments, XML as a CDATA section.
        let text: String

        init(_ code: String) { text = "//<![CDATA[\n\(code)\n//]]>" }

        /// The source that the content policy allows.
        var source: String { "'sha256-\(Base64.encode(SHA256.hash(of: Array(text.utf8))))'" }

        var element: String { "<script type=\"module\">\(text)</script>" }
    }

    /// The protocol's code, and the program of the tool.
    let scripts: [Script]
    /// The program's code for layers; nil for a protocol without them.
    private let layers: HTMLLayerScript?

    init(_ description: ProtocolDescription) {
        let plan = GeneratorModel(description, .typeScript(description))
        let layers = plan.layers.map {
            HTMLLayerScript(plan: $0, hasStates: plan.context?.states.isEmpty == false)
        }
        scripts = [Script(Self.code(plan, layers)), Self.program(layers)]
        self.layers = layers
    }

    /// Returns the module, and the object that gives the program access to it.
    private static func code(_ plan: GeneratorModel, _ layers: HTMLLayerScript?) -> String {
        let names =
            ["WireError", "encode", "encodeUnknown", "fromClient", "fromServer", "inspect_packet"]
            + (plan.context == nil ? [] : ["Connection"])
            + (plan.layers?.hasPackets == true ? ["inner", "encodePackets"] : []) + plan.names.messages.map(\.name)
        // Names of the schema cannot clash with the program's: this module ends here.
        return """
            \(TypeScriptModule(plan, isForPages: true).text())
            globalThis.wireline = {
              sendersDiffer: \(plan.dependsOnSender || plan.context != nil), hasWideIDs: \(plan.idRange.isWide),
              examples: \(examples(plan.description)),
              tables: \(Self.short(AdapterTables(plan, isForPages: true).json)),\(layers.map { "\n  layers: \($0.table)," } ?? "")
              wire: { \(names.joined(separator: ", ")) },
            };
            """
    }

    /// Returns, for each message, the states before its example and the example's sender. Omits messages whose example
    /// can be a connection's first packet.
    private static func examples(_ description: ProtocolDescription) -> JSONValue {
        guard description.layout.hasStates else { return .object([]) }
        return .object(
            description.messages.enumerated().compactMap { index, message in
                guard let context = description.contexts(ofExamplesOf: index).first else { return nil }
                return JSONValue.Member(
                    message.name,
                    .object([
                        JSONValue.Member("from", .string(context.sender.rawValue)),
                        JSONValue.Member(
                            "states",
                            .object(
                                context.states.names.map {
                                    JSONValue.Member($0, .string(String(context.states[$0])))
                                })),
                    ]))
            })
    }

    /// Drops members that are false, so that pages with many messages stay small.
    private static func short(_ tables: String) -> String {
        ["optional", "since", "wide", "closed"].reduce(tables) { $0.replacing(",\"\($1)\":false", with: "") }
    }

    private static func program(_ layers: HTMLLayerScript?) -> Script {
        let program = RuntimeFile.pageTool.with(layers?.features ?? [])
        // Adapters convert messages to JSON and back, too.
        let json = RuntimeFile.typeScriptAdapter
        let parts =
            [json.text("values"), program.text("tool")]
            + (layers == nil ? [] : [json.text("layered"), program.text("layering")]) + [program.text("start")]
        return Script(
            parts.joined(separator: "\n").split(separator: "\n").map { $0.drop { $0 == " " } }
                .filter { !$0.hasPrefix("//") && !$0.isEmpty }.joined(separator: "\n"))
    }

    var text: [String] {
        [
            """
            <div id="try" class="try" hidden="">
            <h2>Try it</h2>
            <p class="line">Paste bytes to see what they mean. Edit a message to see its bytes. Nothing leaves this page.</p>
            <p class="row">
            <label for="sender">Sent by</label>
            <select id="sender"><option value="client">the client</option><option value="server">the server</option></select>
            <a id="link">Link to these bytes</a>
            <button id="clear" type="button">Clear</button>
            </p>
            <fieldset id="states" class="group" hidden=""><legend>States of the connection before these bytes</legend></fieldset>
            \(layers.flatMap(\.element).map { $0 + "\n" } ?? "")<label for="bytes">Bytes: hexadecimal digits or Base64</label>
            <textarea id="bytes" rows="4" spellcheck="false" autocomplete="off" aria-describedby="summary"></textarea>
            <p><output id="summary" for="bytes sender" role="status"></output></p>
            <div id="packets"></div>
            <div class="editor">
            <div>
            <p class="row"><label for="message">Edit a message</label><select id="message"></select></p>
            <div id="fields" role="group" aria-label="Fields of the message"></div>
            <details>
            <summary>The message as JSON</summary>
            <p class="line">Scripts and tests take this text: <code>wire encode</code>, <code>wire call</code> and golden vectors.</p>
            <label for="json">A message as JSON</label>
            <textarea id="json" rows="8" spellcheck="false" autocomplete="off" aria-describedby="outcome"></textarea>
            </details>
            </div>
            <div id="made">
            <p class="row"><output id="outcome" for="fields json" role="status"></output><button id="jump" type="button" hidden="">Go to the field</button></p>
            <pre id="digits" class="written" tabindex="0"></pre>
            <p class="row"><button id="use" type="button">Read these bytes</button></p>
            <div id="written"></div>
            </div>
            </div>
            </div>
            """
        ]
    }
}
