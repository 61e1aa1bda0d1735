// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketLayout {
    /// The number of headers from which the best are chosen.
    private static let combinationLimit = 256

    /// Returns headers for both outcomes of the conditions of layers, `packets` and `opaque`.
    ///
    /// Headers with most conditions fulfilled come first.
    func headers(for conditions: [WireCondition]) -> [PacketHeader] {
        var headers = [PacketHeader()]
        for field in fields where isSettable(field) && field.format.isNumber {
            let tests = conditions.flatMap(\.tests).filter { $0.operand == .field(field.name) }
            guard !tests.isEmpty else { continue }
            var numbers: Set<Int128> = [0, 1]
            for test in tests { numbers.formUnion([test.number, test.number + 1]) }
            let chosen = numbers.filter(field.format.range.contains).sorted()
            headers = headers.flatMap { header in
                [header]
                    + chosen.map { number in
                        var header = header
                        header[field.name] = number
                        return header
                    }
            }
            headers = Array(headers.prefix(Self.combinationLimit))
        }
        func count(_ header: PacketHeader) -> Int {
            conditions.count { condition in
                condition.holds { operand in if case .field(let name) = operand { header[name] ?? 0 } else { 0 } }
            }
        }
        return headers.enumerated().sorted { (-count($0.element), $0.offset) < (-count($1.element), $1.offset) }
            .map(\.element)
    }
}
