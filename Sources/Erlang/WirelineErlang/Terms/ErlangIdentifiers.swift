// SPDX-License-Identifier: Apache-2.0

/// The identifier of a process on some node.
public struct ErlangPID: Hashable, Sendable {
    /// The name of its node, such as `game1@10.0.0.5`.
    public let node: ErlangAtom
    /// The number of the process on its node.
    public let id: UInt32
    /// The higher part of the number.
    public let serial: UInt32
    /// Which of the node's lives the process belongs to; a node that restarts has another one.
    public let creation: UInt32

    /// Makes an identifier of its parts.
    public init(node: ErlangAtom, id: UInt32, serial: UInt32, creation: UInt32) {
        self.node = node
        self.id = id
        self.serial = serial
        self.creation = creation
    }
}

/// The identifier of a port on some node, which is what Erlang calls its sockets and files.
public struct ErlangPort: Hashable, Sendable {
    /// The name of its node.
    public let node: ErlangAtom
    /// The number of the port on its node.
    public let id: UInt64
    /// Which of the node's lives the port belongs to.
    public let creation: UInt32

    /// Makes an identifier of its parts.
    public init(node: ErlangAtom, id: UInt64, creation: UInt32) {
        self.node = node
        self.id = id
        self.creation = creation
    }
}

/// A value that a node makes once, for a call, a monitor or an alias.
public struct ErlangReference: Hashable, Sendable {
    /// The most words of a reference.
    public static let wordLimit = 5

    /// The name of the node that made it.
    public let node: ErlangAtom
    /// Which of the node's lives it belongs to.
    public let creation: UInt32
    /// The number of fields below that are used.
    private let wordCount: UInt8
    // Separate fields instead of an array: each call has a reference, and an array would cost another allocation.
    private var first: UInt32 = 0
    private var second: UInt32 = 0
    private var third: UInt32 = 0
    private var fourth: UInt32 = 0
    private var fifth: UInt32 = 0

    /// Makes a reference; nil for no words, or for more than five.
    ///
    /// - Parameters:
    ///   - node: The node that has made it.
    ///   - creation: Which start of the node this was.
    ///   - words: Its words, 1 to 5.
    public init?(node: ErlangAtom, creation: UInt32, words: [UInt32]) {
        guard 1...Self.wordLimit ~= words.count else { return nil }
        self.init(node: node, creation: creation, wordCount: words.count) { words[$0] }
    }

    /// `wordCount` must be 1 to 5.
    init(node: ErlangAtom, creation: UInt32, wordCount: Int, word: (Int) -> UInt32) {
        precondition(1...Self.wordLimit ~= wordCount, "a reference of \(wordCount) words")
        self.node = node
        self.creation = creation
        self.wordCount = UInt8(wordCount)
        first = word(0)
        if wordCount > 1 { second = word(1) }
        if wordCount > 2 { third = word(2) }
        if wordCount > 3 { fourth = word(3) }
        if wordCount > 4 { fifth = word(4) }
    }

    /// The words, the least significant one first.
    public var words: [UInt32] { Array([first, second, third, fourth, fifth].prefix(Int(wordCount))) }

    var count: Int { Int(wordCount) }

    /// The index must be below ``count``.
    subscript(index: Int) -> UInt32 {
        switch index {
        case 0: first
        case 1: second
        case 2: third
        case 3: fourth
        default: fifth
        }
    }
}
