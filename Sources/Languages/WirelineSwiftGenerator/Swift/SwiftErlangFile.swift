// SPDX-License-Identifier: Apache-2.0

public import WirelineLanguage

extension SwiftGenerator {
    /// Returns the file that makes the messages of a protocol records of Erlang: `SceneProtocol+Erlang.swift`.
    ///
    /// It is a file of its own that imports `WirelineErlang`, so programs that do not talk to Erlang pay
    /// nothing. It contains the schema. The program checks the schema when it first needs a record. Messages need no
    /// code of their own: their packets become records as in a gateway.
    ///
    /// - Parameter sources: The `.wire` files of the protocol.
    public func erlangFile(_ sources: [SourceFile]) -> GeneratedFile {
        let naming = SwiftTypes(description).naming
        var source = Self.header(from: description.name)
        source.line("public import WirelineErlang")
        source.blank()
        source.block("extension \(naming.protocolName): WirelineErlang::ErlangProtocol") { source in
            source.line("/// The translation of the messages to Erlang's records.")
            source.line("public static let erlangRecords = WirelineErlang::ErlangRecords(")
            source.line("    generatedFrom: \(SwiftText.literal(description.name)),")
            source.line("    [")
            for file in sources.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
                let name = SwiftText.literal(Self.lastComponent(of: file.path))
                let text = SwiftText.literal(String(decoding: file.bytes, as: UTF8.self))
                source.line("        (name: \(name), text: \(text)),")
            }
            source.line("    ])")
        }
        source.blank()
        for name in naming.messages { source.line("extension \(name.reference): WirelineErlang::ErlangRecord {}") }
        return GeneratedFile(path: description.name + "Protocol+Erlang.swift", text: source.text)
    }
}
