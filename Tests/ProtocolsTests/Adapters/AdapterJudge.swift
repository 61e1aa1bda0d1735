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
        let answers = try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        // An empty run does not count as agreement.
        guard answers.count == cases.count, !cases.isEmpty else { return ["not all was answered"] }
        let faults = zip(cases, answers).lazy.compactMap { item, answer in
            fault(of: answer, item.answer).map { "\(item.text): \($0), in \(answer)" }
        }
        return Array(faults.prefix(3))
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
