// SPDX-License-Identifier: Apache-2.0

extension CodecError {
    /// What is wrong with the content of a layer.
    @nonexhaustive
    public enum LayerFault: Equatable, Sendable {
        /// A compressed stream that ends too early.
        case cut
        /// Bytes that are no such stream, or were damaged.
        case damaged
        /// Encrypted bytes that are no whole blocks.
        case brokenBlock
        /// A wrong end of the last block: the key is another one, or the bytes were damaged.
        case wrongPadding
        /// A packet inside another one with the same keystream: the two ends would use it in different orders.
        case nestedKeystream
    }

    /// What a layer needs and does not have.
    @nonexhaustive
    public enum LayerNeed: Equatable, Sendable {
        /// A key with this name, for the packets of this end.
        case key(String, of: Sender)
        /// A library of the system; the text says why it cannot be used, and what to install.
        case library(String)
        /// The program's transform with this name (`layer custom(NAME)`).
        case transform(String)
        /// A connection: a message alone opens and seals no layers.
        case connection
    }
}

extension CodecError.LayerFault: CustomStringConvertible {
    /// The fault in a few words.
    public var description: String {
        switch self {
        case .cut: "the compressed stream ends too early"
        case .damaged: "the compressed stream is damaged"
        case .brokenBlock: "the encrypted bytes are no whole blocks"
        case .wrongPadding: "the padding is wrong: is the key right?"
        case .nestedKeystream: "a packet inside of this cipher has the same cipher, whose keystream has one order"
        }
    }
}

extension CodecError.LayerNeed: CustomStringConvertible {
    /// What is missing, and what to do.
    public var description: String {
        switch self {
        case .key(let name, let sender): "there is no key \(name.inQuotes()) for packets of the \(sender.rawValue)"
        case .library(let reason): reason
        case .connection: "only a connection opens and seals layers"
        case .transform(let name): "the program has no transform \(name.inQuotes())"
        }
    }
}
