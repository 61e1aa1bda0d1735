// SPDX-License-Identifier: Apache-2.0

/// A term with some parts read, and others missing.
struct OpenTerm {
    enum Kind {
        case tuple
        /// The last item is the tail.
        case list
        /// Keys and values alternate.
        case map
        /// The items are the closure's values.
        indirect case closure(ErlangClosure)
    }

    private let kind: Kind
    private let offset: Int
    private var items: [ErlangTerm] = []
    private(set) var missingCount: Int

    /// - Parameters:
    ///   - kind: The kind of term.
    ///   - missingCount: The number of items. At least as many bytes are left.
    ///   - offset: Where the term begins, for errors.
    @inline(__always)
    init(_ kind: Kind, missingCount: Int, offset: Int) {
        self.kind = kind
        self.missingCount = missingCount
        self.offset = offset
        items.reserveCapacity(missingCount)
    }

    /// Whether the next item is the tail of a list.
    var isAtTail: Bool {
        guard case .list = kind else { return false }
        return missingCount == 1
    }

    @inline(__always)
    mutating func add(_ item: ErlangTerm) {
        items.append(item)
        missingCount &-= 1
    }

    /// The tail is a list, too: its elements and its tail take the place of the tail.
    mutating func continueList(elementCount: Int) {
        precondition(isAtTail, "only the tail of a list can be a list")
        missingCount = elementCount + 1
    }

    /// Call this only after the last item.
    consuming func close() throws(ErlangError) -> ErlangTerm {
        switch kind {
        case .tuple: return .tuple(items)
        case .list:
            let tail = items.removeLast()
            if case .list(let rest) = tail {
                items += rest
                return .list(items)
            }
            return .list(items, tail: tail)
        case .map:
            guard let map = ErlangMap(alternating: items) else { throw .invalidTerm(.duplicateKey, offset: offset) }
            return .map(map)
        case .closure(let closure):
            return .function(
                .closure(
                    ErlangClosure(
                        module: closure.module, arity: closure.arity, index: closure.index,
                        uniqueness: closure.uniqueness, oldIndex: closure.oldIndex,
                        oldUniqueness: closure.oldUniqueness, creator: closure.creator, values: items)))
        }
    }
}
