// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// The number of a field that counts others, as far as an expression can give it before they are written.
struct SwiftDerivation {
    /// The expression, an `Int`; 0 if the number is known only later.
    private let text: String

    private init(_ derivation: PlannedDerivation, _ fields: [SwiftField]) {
        var text = "0"
        // The last one first, because the first present field determines the number.
        for counted in derivation.counted.reversed() {
            let field = fields[counted.field]
            guard let count = counted.measure.text(of: field.mayBeUnset ? "$0" : field.access) else { continue }
            let addend = counted.count.addend
            let number = addend == 0 ? count : "\(count) \(addend < 0 ? "+" : "-") \(addend.magnitude)"
            text = field.mayBeUnset ? "(\(field.access).map { \(number) } ?? \(text))" : number
        }
        self.text = text
    }

    /// Whether the number is known only after the counted fields are written.
    var isKnownLater: Bool { text == "0" }

    /// Returns the numbers of all fields of a body that count others, by the index of the field.
    static func all(_ body: BodyPlan, _ fields: [SwiftField]) -> [Int: SwiftDerivation] {
        Dictionary(
            body.derivations.map { ($0.field, SwiftDerivation($0, fields)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the expression for an integer of another type; numbers beyond it have been refused.
    func text(as type: String) -> String { "\(type)(truncatingIfNeeded: \(text))" }
}

extension PlannedDerivation.Measure {
    /// Returns the expression for the number of a value's items or bytes; nil if it is known only after writing.
    fileprivate func text(of access: String) -> String? {
        switch self {
        case .items: "\(access).count"
        case .itemBytes(1): "\(access).count"
        case .itemBytes(let byteCount): "\(byteCount) * \(access).count"
        case .text: "\(access).utf8.count"
        case .bytes: "\(access).count"
        case .units: "2 * \(access).utf16UnitCount"
        case .body: nil
        }
    }
}
