// SPDX-License-Identifier: Apache-2.0

/// What stands in the place of a `@sensitive` field's value wherever a message is shown: `(hidden)`.
///
/// Mirrors of generated types have it as a child, so `print`, `dump`, interpolation and `String(reflecting:)` show it.
public struct HiddenValue: Sendable {
    /// What is hidden, for tests of this package that walk through mirrors.
    package let value: any Sendable

    /// Hides a value.
    public init(_ value: some Sendable) { self.value = value }
}

extension HiddenValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package static let text = "(hidden)"

    /// `(hidden)`
    public var description: String { Self.text }

    /// `(hidden)`, without quotes, which would make it look like a text on the wire.
    public var debugDescription: String { Self.text }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
