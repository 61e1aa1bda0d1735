// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

extension ProtocolDescription {
    /// Checks schemas that a test writes, which must have no errors.
    ///
    /// - Parameters:
    ///   - schemas: The names of the files, and their texts.
    ///   - name: The protocol's name.
    static func checked(_ schemas: [(String, String)], name: String = "Golden") throws -> ProtocolDescription {
        let files = schemas.map { SourceFile(path: $0.0, bytes: Array($0.1.utf8)) }
        return try #require(ProtocolDescription.check(name: name, files: files).description)
    }
}

// MARK: - Comments

extension ProtocolDescription {
    /// The marks at which some language or tool ends a line, and others that a comment must not contain.
    static let lineEnds = ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\r\n", "\n", "\u{B}", "\u{C}", "\0", "\u{202E}"]

    /// A protocol with a part of each kind that can have a comment.
    static func withAllParts() throws -> ProtocolDescription {
        try checked([
            (
                "a.wire",
                """
                packet { @length(rest) uint16 size; @id uint8 id; }
                @id(1) @from(both) message M { uint8 a; Color c; U u; }
                struct S { uint8 x; }
                enum Color : uint8 { red = 0; }
                union U : uint8 { 0: uint8 one; 1: none; }
                const uint8 seats = 4;
                """
            )
        ])
    }

    /// Makes a text the name of the protocol and the comment of each part.
    mutating func comment(with text: String) {
        name = text
        documentation = text
        for index in messages.indices {
            messages[index].documentation = text
            messages[index].deprecation = text
            for field in messages[index].fields.indices {
                messages[index].fields[field].documentation = text
                messages[index].fields[field].deprecation = text
            }
        }
        for index in structures.indices { structures[index].documentation = text }
        for index in enumerations.indices {
            enumerations[index].documentation = text
            for value in enumerations[index].cases.indices { enumerations[index].cases[value].documentation = text }
        }
        for index in unions.indices {
            unions[index].documentation = text
            // A class of Python without any field has `pass` in place of a comment, so an arm without a value has none.
            for arm in unions[index].arms.indices where unions[index].arms[arm].field != nil {
                unions[index].arms[arm].documentation = text
            }
        }
        for index in constants.indices { constants[index].documentation = text }
        for index in packetFields.indices { packetFields[index].documentation = text }
    }
}
