// SPDX-License-Identifier: Apache-2.0

/// Replaces the value of a `@sensitive` field wherever a message is shown: `(hidden)`.
///
/// Mirrors of generated types have it as a child, so `print`, `dump`, interpolation and `String(reflecting:)` show it.
public struct HiddenValue: Sendable {
    /// For tests of this package that read mirrors.
    package let value: any Sendable

    /// Hides a value.
    public init(_ value: some Sendable) { self.value = value }
}

extension HiddenValue: CustomStringConvertible, CustomDebugStringConvertible {
    package static let text = "(hidden)"

    /// The text `(hidden)`.
    public var description: String { Self.text }

    /// The text `(hidden)`, without quotes, which would make it look like text from the wire.
    public var debugDescription: String { Self.text }
}
