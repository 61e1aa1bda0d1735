// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What C# has for layers.
extension CSharpDialect {
    var runtime: RuntimeFile { CSharpRuntime.file(for: plan) }

    func respelled(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.respelled(line:)).joined(separator: "\n")
    }

    private static let statements: Set<String> = ["if", "for", "while", "switch", "catch", "return"]
    private static let own = ["boolean": "bool", "String": "string", "instanceof": "is"]

    /// Returns a line in which functions and what programs see begin with a capital.
    private static func respelled(line: Substring) -> String {
        if let start = line.firstRange(of: "/** "), line.hasSuffix(" */") {
            return "\(line[..<start.lowerBound])/// <summary>\(line[start.upperBound...].dropLast(3))</summary>"
        }
        var result = ""
        var rest = line
        while let first = rest.first {
            if first == "\"" {
                let end = rest.dropFirst().firstIndex(of: "\"").map { rest.index(after: $0) } ?? rest.endIndex
                result += rest[..<end]
                rest = rest[end...]
                continue
            }
            let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if word.isEmpty {
                if first != "‹", first != "›" { result.append(first) }
                rest = rest.dropFirst()
                continue
            }
            rest = rest[word.endIndex...]
            let isFunction = rest.first == "(" && !statements.contains(String(word))
            let isMember = rest.first == "›" || word == "length" && result.last == "."
            result += isFunction || isMember ? capitalized(String(word)) : own[String(word)] ?? String(word)
        }
        return result
    }
}
