// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema
import WirelineSwiftGenerator

/// The fields of a protocol's packets, which are the keys of a map.
final class HeaderPlan: Sendable {
    /// The keys, in wire order.
    let keys: AtomTable
    /// The fields of the keys.
    let fields: [Field]
    private let indices: [String: Int]

    /// A field of the header or the trailer.
    struct Field: Sendable {
        /// The name in the schema.
        let name: String
        let form: ValueForm
        let limits: FieldLimits
        /// Whether a program can set it.
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

    /// Returns the index of the field with a name.
    func index(of name: String) -> Int? { indices[name] }
}
