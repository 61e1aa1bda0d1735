// SPDX-License-Identifier: Apache-2.0

/// A number of items or bytes in an earlier field of the same body: `@count(n)`, `@size(n - 4)`.
public struct FieldCount: Equatable, Sendable {
    /// The name of that field, whose role is ``FieldDescription/Role/derived``.
    public var field: String
    /// The number added to the field's: -4 for `@size(n - 4)`.
    public var addend: Int
    /// The counts that the field's type can express, 0 or more.
    public var range: ClosedRange<Int>

    public init(field: String, addend: Int, range: ClosedRange<Int>) {
        self.field = field
        self.addend = addend
        self.range = range
    }

    /// The attribute's argument: `n - 4`.
    package var text: String {
        addend == 0 ? field : "\(field) \(addend < 0 ? "-" : "+") \(addend.magnitude)"
    }
}
