// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// What a program decides about the layers of its connections, with the keys that are known before they begin.
package struct LayerSettings: Sendable {
    /// Levels of compression, and the program's own transforms.
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
    /// - Parameter sender: Whose packets the key is for; nil for those of both ends.
    /// - Throws: ``LayerKeyError`` if no layer has such a key.
    package mutating func setKey(
        _ name: String, _ bytes: [UInt8], for sender: Sender? = nil, in layout: PacketLayout
    ) throws(LayerKeyError) {
        try Self.check(name, bytes, in: layout)
        keys.append(Key(name: name, bytes: bytes, sender: sender))
    }

    /// Refuses a key that no layer has, or with another number of bytes than its layers need.
    package static func check(_ name: String, _ bytes: [UInt8], in layout: PacketLayout) throws(LayerKeyError) {
        var trial = LayerStack(layout.content.layers.map(\.kind), from: .client)
        try trial.setKey(name, bytes.rawSpan)
    }

    /// Makes the layers of one end's packets, with the keys for them.
    func stack(of layout: PacketLayout, from sender: Sender, states: CompressionStates) -> LayerStack {
        var stack = LayerStack(layout.content.layers.map(\.kind), from: sender, options: options, states: states)
        for key in keys where key.sender == nil || key.sender == sender {
            // It has been checked when it was added.
            try? stack.setKey(key.name, key.bytes.rawSpan)
        }
        return stack
    }
}

extension LayerSettings: CustomStringConvertible, CustomReflectable {
    /// The names of the keys, without their bytes.
    package var description: String { "keys: " + keys.map(\.name).joined(separator: ", ") }
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
