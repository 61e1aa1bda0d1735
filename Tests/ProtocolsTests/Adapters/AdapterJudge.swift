// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Compares the answers of a sample's adapter with what is right.
struct AdapterJudge {
    private let sample: AdapterSample
    private let cases: [AdapterCase]
    /// What the adapter reads: one question a line.
    let input: String

    init(_ sample: AdapterSample, _ cases: [AdapterCase]) {
        self.sample = sample
        self.cases = cases
        input = cases.enumerated().map { "\($1.line(id: $0))\n" }.joined()
    }

    /// Returns the cases that the module handles differently; at most three.
    ///
    /// - Parameter output: What the adapter prints for the ``input``.
    func disagreements(in output: String) throws -> [String] {
        let answers = output.split(separator: "\n")
        // An empty run does not count as agreement.
        guard answers.count == cases.count, !cases.isEmpty else { return ["not all was answered"] }
        var faults: [String] = []
        for (number, (item, text)) in zip(cases, answers).enumerated() where faults.count < 3 {
            // Another language may have the same question at another place.
            let id = "{\"id\":\(number),"
            let rest = text.hasPrefix(id) ? text.dropFirst(id.utf8.count) : text
            guard !item.right.contains(rest) else { continue }
            let answer = try JSONValue(parsing: String(text))
            guard let fault = fault(of: answer, item.answer) else {
                item.right.insert(rest)
                continue
            }
            faults.append("\(item.text): \(fault), in \(answer)")
        }
        return faults
    }

    private func fault(of answer: JSONValue, _ expected: AdapterCase.Answer) -> String? {
        let reply = answer["reply"]
        switch expected {
        case .bytes(let bytes):
            let hex = Hexadecimal.text(of: bytes)
            return answer["hex"] == .string(hex) ? nil : "not the bytes \(hex)"
        case .more: return reply == "more" ? nil : "it does not wait"
        case .packet(let byteCount, let line):
            guard reply == "ok", answer["count"] == .exactInteger(Int128(byteCount)), let found = answer["line"] else {
                return "not a packet of \(byteCount) bytes"
            }
            return LineComparison(sample.translator.description).difference(line, found).map {
                "another value at \($0.path)"
            }
        case .refused(let kind, let path, let offset, let isOfBytes):
            var members = [JSONValue.Member("error", .string(kind))]
            if !path.isEmpty { members.append(JSONValue.Member("field", .string(path))) }
            if let offset { members.append(JSONValue.Member("offset", .exactInteger(Int128(offset)))) }
            let isSame = members.allSatisfy { answer[$0.name] == $0.value }
            let isSilent = !path.isEmpty || answer["field"] == nil || !isOfBytes
            return reply == "error" && isSame && isSilent ? nil : "not the error \(JSONValue.object(members))"
        }
    }
}
