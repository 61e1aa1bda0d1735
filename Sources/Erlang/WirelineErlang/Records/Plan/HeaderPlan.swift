// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// The header fields of a protocol, as keys of a map.
final class HeaderPlan: Sendable {
    /// In wire order.
    let keys: AtomTable
    /// In the order of `keys`.
    let fields: [Field]
    private let indices: [String: Int]

    /// A field of the header or of the trailer.
    struct Field: Sendable {
        /// The name in the schema.
        let name: String
        let form: ValueForm
        let limits: FieldLimits
        let isSettable: Bool
    }

    init(_ compiler: PlanCompiler) {
        let description = compiler.description
        keys = AtomTable(compiler.naming.packetFields)
        fields = description.layout.fields.enumerated().map { index, field in
            Field(
                name: field.name,
                form: compiler.form(of: description.packetFieldType(index) ?? field.format.type),
                limits: FieldLimits(
                    range: field.format.isNumber ? field.range : nil, floatRange: nil, maximumCount: nil),
                isSettable: description.layout.isSettable(field))
        }
        indices = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func index(of name: String) -> Int? { indices[name] }
}
