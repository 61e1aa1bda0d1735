// SPDX-License-Identifier: Apache-2.0

package struct LayerSet: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The layer at a place in the stack; 0 is the outermost one.
    package static func layer(at index: Int) -> LayerSet { LayerSet(rawValue: 1 << UInt8(index)) }

    package static let all = LayerSet(rawValue: .max)

    /// Adds a layer if its keystream continues from packet to packet.
    ///
    /// - Throws: ``CodecError/LayerFault/nestedKeystream`` if this set has the layer: a packet inside this one, or
    ///   around it, has used the keystream. Inner packets are sealed first and opened last, so the two ends would use
    ///   it in another order.
    mutating func addKeystream(of kind: LayerKind, at index: Int) throws(CodecError) {
        guard kind.hasLastingKeystream else { return }
        guard insert(.layer(at: index)).inserted else {
            throw CodecError(.invalidLayer(.nestedKeystream), path: "packet." + kind.name)
        }
    }
}
