// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// A program's options for the layers of its connections, with the keys that are known before they begin.
package struct LayerSettings: Sendable {
    package var options: LayerOptions
    private var keys: [Key] = []

    private struct Key: Sendable {
        let name: String
        let bytes: [UInt8]
        let sender: Sender?
    }

    package init(options: LayerOptions = LayerOptions()) { self.options = options }

    /// Adds a key, which replaces one with the same name for the same packets.
    ///
    /// - Parameter sender: The end whose packets use the key; nil for both ends.
    /// - Throws: ``LayerKeyError`` if no layer has such a key.
    package mutating func setKey(
        _ name: String, _ bytes: [UInt8], for sender: Sender? = nil, in layout: PacketLayout
    ) throws(LayerKeyError) {
        try Self.check(name, bytes, in: layout)
        keys.append(Key(name: name, bytes: bytes, sender: sender))
    }

    /// Refuses a key that no layer has, or whose number of bytes its layers do not accept.
    package static func check(_ name: String, _ bytes: [UInt8], in layout: PacketLayout) throws(LayerKeyError) {
        var trial = LayerStack(layout.content.layers.map(\.kind), from: .client)
        try trial.setKey(name, bytes.rawSpan)
    }

    func stack(of layout: PacketLayout, from sender: Sender, states: CompressionStates) -> LayerStack {
        var stack = LayerStack(layout.content.layers.map(\.kind), from: sender, options: options, states: states)
        for key in keys where key.sender == nil || key.sender == sender {
            // `setKey` has checked it.
            try? stack.setKey(key.name, key.bytes.rawSpan)
        }
        return stack
    }
}

extension LayerSettings: CustomStringConvertible, CustomReflectable {
    /// Without their bytes.
    package var description: String { "keys: " + keys.map(\.name).joined(separator: ", ") }
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
