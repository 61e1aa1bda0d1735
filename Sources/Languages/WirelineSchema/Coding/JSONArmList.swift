// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The arms of a union, found by tag and by name.
final class JSONArmList: Sendable {
    let tag: TypeDescription
    /// The format of a sized value's byte count, between tag and value.
    let sizePrefix: CountFormat?
    let sizePrefixOrder: ByteOrder
    /// All arms; the `default` arm is the last.
    let arms: [Arm]
    private let indicesByTag: [Int128: Int]
    private let indicesByName: [String: Int]

    final class Arm: Sendable {
        /// The tag; nil for the `default` arm.
        let tag: Int128?
        let name: String
        let field: JSONField?

        init(_ arm: UnionDescription.Arm) {
            tag = arm.tag
            name = arm.name
            field = arm.field.map { JSONField($0, constant: nil, absent: nil) }
        }
    }

    init(_ union: UnionDescription) {
        tag = union.tag
        sizePrefix = union.sizePrefix
        sizePrefixOrder = union.byteOrder
        arms = union.arms.map(Arm.init)
        let tags = arms.enumerated().compactMap { index, arm in arm.tag.map { ($0, index) } }
        indicesByTag = Dictionary(tags, uniquingKeysWith: { first, _ in first })
        indicesByName = Dictionary(arms.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var names: [String] { arms.map(\.name) }

    /// Returns the arm with exactly this tag; never the `default` arm.
    func arm(tagged tag: Int128) -> Arm? { indicesByTag[tag].map { arms[$0] } }

    /// The arm that keeps values with another tag.
    var defaultArm: Arm? { arms.last.flatMap { $0.tag == nil ? $0 : nil } }

    /// Returns the arm with exactly this name.
    func arm(named name: String) -> Arm? {
        guard let index = indicesByName[name], arms[index].name.hasSameBytes(as: name) else { return nil }
        return arms[index]
    }
}

/// The keys in the JSON of a value that a `default` arm keeps.
package enum KeptValueKey {
    package static let tag = "tag"
    package static let bytes = "bytes"
}
