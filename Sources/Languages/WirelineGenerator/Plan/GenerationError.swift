// SPDX-License-Identifier: Apache-2.0

/// Why no code can be generated for a schema in one language.
public struct GenerationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One sentence without a full stop, for people.
    public let description: String

    /// Makes an error with a sentence without a full stop.
    public init(_ description: String) { self.description = description }
}
