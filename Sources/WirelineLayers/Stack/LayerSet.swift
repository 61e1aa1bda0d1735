// SPDX-License-Identifier: Apache-2.0

/// The layers of a stack that a packet has: those whose conditions hold.
package struct LayerSet: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The layer at a place in the stack, from 0, the outermost one.
    package static func layer(at index: Int) -> LayerSet { LayerSet(rawValue: 1 << UInt8(index)) }

    package static let all = LayerSet(rawValue: .max)
}
