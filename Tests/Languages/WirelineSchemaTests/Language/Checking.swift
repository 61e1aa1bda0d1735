// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

/// Checks one file, `a.wire`.
func check(_ text: String) -> CheckResult {
    ProtocolDescription.check(name: "Test", files: [SourceFile(path: "a.wire", bytes: Array(text.utf8))])
}

/// Checks several files.
func check(_ files: KeyValuePairs<String, String>) -> CheckResult {
    ProtocolDescription.check(
        name: "Test", files: files.map { SourceFile(path: $0.key, bytes: Array($0.value.utf8)) })
}

/// The protocol of a text that must be valid.
///
/// - Parameter warns: Whether there may be warnings.
func describe(
    _ text: String, warns: Bool = false, sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> ProtocolDescription {
    let result = check(text)
    if !warns { #expect(result.renderedDiagnostics() == "", sourceLocation: sourceLocation) }
    return try #require(result.description, sourceLocation: sourceLocation)
}

/// All problems that are reported for a text.
func problems(_ text: String) -> String {
    check(text).renderedDiagnostics()
}
