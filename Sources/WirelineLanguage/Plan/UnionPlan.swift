// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// How a union is read and written: its tag, its size prefix, then the body of the arm that has the tag.
///
/// The prefix is read before the tag is looked up. A tag that no arm has is an error at the tag's offset.
package struct UnionPlan: Sendable {
    /// The type of the tag.
    package let tag: TypeDescription
    /// The prefix with the number of bytes of the value; nil without `sized`.
    package let sizePrefix: PlannedCount?
    /// The arms, in order; the `default` arm is the last.
    package let arms: [PlannedArm]
    /// Whether the union counts as a level of `max_depth`, because values of it could nest too deeply.
    package let countsDepth: Bool
    /// Where its tags stand in this protocol.
    package let tagPlaces: TagPlaces

    /// Where the tags of a union stand.
    package struct TagPlaces: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Before the value.
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

    /// The arms that have a tag.
    package var taggedArms: ArraySlice<PlannedArm> { arms.prefix { $0.tag != nil } }
    /// The arm that keeps values with another tag.
    package var defaultArm: PlannedArm? { arms.last.flatMap { $0.tag == nil ? $0 : nil } }
}

/// An arm of a union.
package struct PlannedArm: Sendable {
    /// The tag; nil for the `default` arm.
    package let tag: Int128?
    /// The name in the schema, which errors in the arm have.
    package let name: String
    /// The value: one field or none.
    package let body: BodyPlan

    /// The field that it holds.
    package var field: PlannedField? { body.fields.first }
}
