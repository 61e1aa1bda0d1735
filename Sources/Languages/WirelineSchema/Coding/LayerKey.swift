// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
package import WirelineLayers

/// A key of a connection's layers, as options, vectors and questions name it: `session`, `client.session`.
package struct LayerKey: Hashable, Sendable {
    package let name: String
    /// The sender whose packets it is for; nil for both.
    package let sender: Sender?
    package let bytes: [UInt8]

    /// - Parameter text: A name, or a side and a name.
    /// - Returns: nil if the word before the point is not a side.
    package init?(_ text: some StringProtocol, _ bytes: [UInt8]) {
        let words = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        sender = words.count == 2 ? Sender(rawValue: String(words[0])) : nil
        guard words.count == 1 || sender != nil else { return nil }
        name = String(words[words.count - 1])
        self.bytes = bytes
    }

    /// The name, with the side if it is for one.
    package var text: String { sender.map { "\($0.rawValue).\(name)" } ?? name }

    private init(_ name: String, for sender: Sender?, _ bytes: [UInt8]) {
        self.name = name
        self.sender = sender
        self.bytes = bytes
    }

    /// Returns made-up keys for a layout's layers that lack one among the given keys.
    ///
    /// Each has 16 bytes, a size that every cipher accepts.
    package static func madeUp(for layout: PacketLayout, besides given: [LayerKey] = []) -> [LayerKey] {
        var names: [String] = []
        for name in layout.content.layers.flatMap(\.kind.keyNames) where !names.contains(name) { names.append(name) }
        return names.enumerated().flatMap { number, name in
            missingSides(of: name, in: given).map { LayerKey(name, for: $0, madeUpBytes(number)) }
        }
    }

    /// Returns the sides for which a key is missing among given ones: one side, or nil for both.
    package static func missingSides(of name: String, in given: [LayerKey]) -> [Sender?] {
        let known = given.filter { $0.name == name }
        if known.isEmpty { return [nil] }
        return Sender.allCases.filter { side in known.allSatisfy { $0.sender == side.peer } }
    }

    /// Returns the 16 bytes of a made-up key, different for each number.
    static func madeUpBytes(_ number: Int) -> [UInt8] {
        let first = UInt8(truncatingIfNeeded: 16 * (number + 1))
        return (0..<16).map { first + $0 }
    }
}

extension LayerSettings {
    /// - Throws: `LayerKeyError` if no layer has such a key.
    package mutating func setKeys(_ keys: [LayerKey], in layout: PacketLayout) throws(LayerKeyError) {
        for key in keys { try setKey(key.name, key.bytes, for: key.sender, in: layout) }
    }
}

extension PacketTranslator {
    /// Returns a translator whose connections also begin with these keys.
    ///
    /// - Throws: `LayerKeyError` if no layer has such a key.
    package func withKeys(_ keys: [LayerKey]) throws(LayerKeyError) -> PacketTranslator {
        guard !keys.isEmpty else { return self }
        var translator = self
        try translator.layers.setKeys(keys, in: description.layout)
        return translator
    }
}
