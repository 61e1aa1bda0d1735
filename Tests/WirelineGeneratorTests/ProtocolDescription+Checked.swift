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
