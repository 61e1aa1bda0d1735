// SPDX-License-Identifier: Apache-2.0

/// A term of which some parts have been read, and others are to come.
struct OpenTerm {
    enum Kind {
        case tuple
        /// The last item is the tail.
        case list
        /// Keys and values follow each other.
        case map
        /// Its values are the items.
        indirect case closure(ErlangClosure)
    }

    private let kind: Kind
    private let offset: Int
    private var items: [ErlangTerm] = []
    /// How many items are to come.
    private(set) var missingCount: Int

    /// - Parameters:
    ///   - kind: What it is.
    ///   - missingCount: How many items it has; there are at least as many bytes.
    ///   - offset: Where it begins, for errors.
    @inline(__always)
    init(_ kind: Kind, missingCount: Int, offset: Int) {
        self.kind = kind
        self.missingCount = missingCount
        self.offset = offset
        items.reserveCapacity(missingCount)
    }

    /// Whether the item to come is the tail of a list.
    var isAtTail: Bool {
        guard case .list = kind else { return false }
        return missingCount == 1
    }

    @inline(__always)
    mutating func add(_ item: ErlangTerm) {
        items.append(item)
        missingCount &-= 1
    }

    /// In place of the tail, more elements and their tail follow.
    mutating func continueList(elementCount: Int) {
        precondition(isAtTail, "only the tail of a list can be a list")
        missingCount = elementCount + 1
    }

    /// Returns the term, of which all items have been read.
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
