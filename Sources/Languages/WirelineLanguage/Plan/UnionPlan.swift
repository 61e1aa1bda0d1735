// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// How to read and write a union: its tag, its size prefix, then the body of the arm with that tag.
///
/// A reader reads the prefix before it looks up the tag. An unknown tag is an error at the tag's offset.
package struct UnionPlan: Sendable {
    package let tag: TypeDescription
    /// The prefix that counts the bytes of the value; nil without `sized`.
    package let sizePrefix: PlannedCount?
    /// The arms, in order; the `default` arm is the last.
    package let arms: [PlannedArm]
    /// Whether the union counts as a level of `max_depth`, because its values could nest too deeply.
    package let countsDepth: Bool
    package let tagPlaces: TagPlaces

    package struct TagPlaces: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let before = TagPlaces(rawValue: 1)
        /// In an earlier field.
        package static let elsewhere = TagPlaces(rawValue: 2)
    }

    init(_ union: UnionDescription, countsDepth: Bool, tagPlaces: TagPlaces, _ sizes: WireSizes) {
        self.tagPlaces = tagPlaces
        tag = union.tag
        sizePrefix = union.sizePrefix.map { PlannedCount($0, union.byteOrder, limit: nil) }
        let end: BodyPlan.End = union.sizePrefix == nil ? .open : .skipped
        arms = union.arms.map {
            PlannedArm(tag: $0.tag, name: $0.name, body: BodyPlan($0.field.map { [$0] } ?? [], end: end, sizes))
        }
        self.countsDepth = countsDepth
    }

    package var taggedArms: ArraySlice<PlannedArm> { arms.prefix { $0.tag != nil } }
    /// The arm that keeps values with another tag.
    package var defaultArm: PlannedArm? { arms.last.flatMap { $0.tag == nil ? $0 : nil } }
}

package struct PlannedArm: Sendable {
    /// The tag; nil for the `default` arm.
    package let tag: Int128?
    /// The name in the schema; errors in the arm contain it.
    package let name: String
    /// The value: one field or none.
    package let body: BodyPlan

    package var field: PlannedField? { body.fields.first }
}
