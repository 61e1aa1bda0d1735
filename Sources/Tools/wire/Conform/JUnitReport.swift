// SPDX-License-Identifier: Apache-2.0

/// Results in JUnit's XML format, which continuous integration reads.
///
/// One suite has a case for each check. An expected failure counts as skipped, with the reason. A check that did not
/// run is an error.
struct JUnitReport {
    let title: String
    let results: [ConformanceRun.Result]

    var text: String {
        let errorCount = results.count { if case .notMade = $0.verdict { true } else { false } }
        let failureCount = results.count { !$0.verdict.isGood } - errorCount
        let skippedCount = results.count {
            switch $0.verdict {
            case .skipped, .failedAsExpected: true
            default: false
            }
        }
        let counts = "tests=\"\(results.count)\" failures=\"\(failureCount)\" errors=\"\(errorCount)\""
        let time = "time=\"\(Self.seconds(results.reduce(.zero) { $0 + $1.duration }))\""
        let name = "name=\"\(Self.escape(title))\""
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuites \(counts) \(time)>",
            "  <testsuite \(name) \(counts) skipped=\"\(skippedCount)\" \(time)>",
        ]
        lines += results.map(element)
        lines += ["  </testsuite>", "</testsuites>", ""]
        return lines.joined(separator: "\n")
    }

    private func element(_ result: ConformanceRun.Result) -> String {
        // The name of the vector becomes the class, and the name of the check becomes the test.
        let slash = result.name.lastIndex(of: "/")
        let vector = slash.map { String(result.name[..<$0]) } ?? ""
        let check = slash.map { String(result.name[result.name.index(after: $0)...]) } ?? result.name
        let attributes =
            "classname=\"\(Self.escape(title + "." + vector))\" name=\"\(Self.escape(check))\" "
            + "time=\"\(Self.seconds(result.duration))\""
        let child: String
        switch result.verdict {
        case .passed: return "    <testcase \(attributes)/>"
        case .failed(let text): child = "<failure message=\"\(Self.escape(text))\"/>"
        case .notMade(let text): child = "<error message=\"\(Self.escape(text))\"/>"
        case .passedUnexpectedly: child = "<failure message=\"it passes, and is expected to fail\"/>"
        case .skipped(let text): child = "<skipped message=\"\(Self.escape(text))\"/>"
        case .failedAsExpected(let text):
            child = "<skipped message=\"\(Self.escape("it fails as expected: " + text))\"/>"
        }
        return "    <testcase \(attributes)>\(child)</testcase>"
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int(duration / .milliseconds(1))
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// Escapes an attribute value (XML 1.0 §2.2 and §2.4). A character that XML cannot contain is replaced by its
    /// number.
    static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
