// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A line that GitHub shows next to the changed lines: `::error file=a.wire,line=2,col=5::text`.
struct WorkflowCommand {
    let text: String

    /// - Parameters:
    ///   - severity: `error`, `warning` or `notice`.
    ///   - location: The position at which GitHub shows the text; nil means none.
    ///   - end: The end of the marked text, in the same file. Its column is the one after the text.
    init(_ severity: String, at location: SourceLocation?, to end: SourceLocation? = nil, _ message: String) {
        var properties: [String] = []
        if let location {
            properties = ["file=" + Self.escape(location.file, alsoSeparators: true), "line=\(location.line)"]
            if let end { properties.append("endLine=\(end.line)") }
            properties.append("col=\(location.column)")
            // GitHub accepts an end column only on the same line.
            if let end, end.line == location.line { properties.append("endColumn=\(end.column)") }
        }
        let place = properties.isEmpty ? "" : " " + properties.joined(separator: ",")
        text = "::\(severity)\(place)::" + Self.escape(message, alsoSeparators: false)
    }

    /// Escapes text for a workflow command. A newline ends the command, and `,` and `:` separate its properties.
    private static func escape(_ text: String, alsoSeparators: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            case ":" where alsoSeparators: result += "%3A"
            case "," where alsoSeparators: result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return TextStyle.harmless(result)
    }
}
