// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// A union: its tag, and its arms by tag and by atom.
final class RecordUnion: Sendable {
    let tag: ValueForm
    let sizePrefix: CountFormat?
    let sizePrefixOrder: ByteOrder
    /// The `default` arm comes last.
    let arms: [Arm]
    let atoms: AtomTable
    private let indices: [Int128: Int]

    struct Arm: Sendable {
        /// The name in the schema, for errors.
        let name: String
        /// Nil for the `default` arm.
        let tag: Int128?
        /// Nil if the arm has no value.
        let form: ValueForm?
        let limits: FieldLimits
        /// The head of the tuple and its atom; only the atom if there is no value.
        let head: [UInt8]

        /// The elements of the tuple; 0 for an atom.
        var arity: Int { form == nil ? 0 : tag == nil ? 3 : 2 }
    }

    init(_ union: UnionDescription, _ names: [String], form: (TypeDescription) -> ValueForm) {
        tag = form(union.tag)
        sizePrefix = union.sizePrefix
        sizePrefixOrder = union.byteOrder
        atoms = AtomTable(names)
        arms = zip(union.arms, names).map { arm, name in
            var writer = ErlangTermWriter()
            if arm.field != nil { writer.writeTuple(count: arm.tag == nil ? 3 : 2) }
            writer.writeAtom(name)
            return Arm(
                name: arm.name, tag: arm.tag, form: arm.field.map { form($0.type) },
                limits: FieldLimits(
                    range: arm.field?.range, floatRange: arm.field?.floatRange, maximumCount: arm.field?.maximumCount),
                head: writer.bytes)
        }
        let tags = arms.enumerated().compactMap { index, arm in arm.tag.map { ($0, index) } }
        indices = Dictionary(tags, uniquingKeysWith: { first, _ in first })
    }

    /// May be the `default` arm.
    func arm(tagged tag: Int128) -> Arm? {
        if let index = indices[tag] { return arms[index] }
        return arms.last.flatMap { $0.tag == nil ? $0 : nil }
    }

    /// The `default` arm does not count.
    func hasArm(tagged tag: Int128) -> Bool { indices[tag] != nil }
}
