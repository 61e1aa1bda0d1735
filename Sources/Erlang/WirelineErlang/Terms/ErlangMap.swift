// SPDX-License-Identifier: Apache-2.0

/// A map: values by keys, each key once.
///
/// Two maps are equal if they have equal keys and values, in any order. The order of ``pairs`` is the one in which they
/// arrived or were set.
public struct ErlangMap: Sendable {
    /// A key and its value.
    public struct Pair: Hashable, Sendable {
        /// The key.
        public let key: ErlangTerm
        /// The value.
        public fileprivate(set) var value: ErlangTerm
    }

    /// Up to this many pairs, a search compares one after another. Erlang does so up to 32. Here, 16 comparisons take
    /// about as
    /// long as one hash.
    private static let linearCount = 16

    /// All keys with their values.
    public private(set) var pairs: [Pair]
    /// The index of each key in `pairs`; nil while a linear search is enough.
    private var places: [ErlangTerm: Int]?

    /// Makes an empty map.
    public init() { pairs = [] }

    /// Keys and values alternate.
    ///
    /// - Returns: nil if a key appears twice.
    init?(alternating items: [ErlangTerm]) {
        pairs = []
        pairs.reserveCapacity(items.count / 2)
        var index = 0
        while index + 1 < items.count {
            pairs.append(Pair(key: items[index], value: items[index + 1]))
            index += 2
        }
        guard pairs.count <= Self.linearCount else {
            places = Self.places(of: pairs)
            guard places?.count == pairs.count else { return nil }
            return
        }
        for later in pairs.indices.dropFirst() {
            for earlier in 0..<later where pairs[earlier].key == pairs[later].key { return nil }
        }
    }

    /// The number of keys.
    public var count: Int { pairs.count }

    /// The value of a key. Setting nil removes the key, which takes time in proportion to the number of pairs.
    public subscript(key: ErlangTerm) -> ErlangTerm? {
        get { place(of: key).map { pairs[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): pairs[place].value = value
            case (let place?, nil):
                pairs.remove(at: place)
                places = pairs.count > Self.linearCount ? Self.places(of: pairs) : nil
            case (nil, let value?):
                pairs.append(Pair(key: key, value: value))
                places?[key] = pairs.count - 1
                if places == nil, pairs.count > Self.linearCount { places = Self.places(of: pairs) }
            case (nil, nil): break
            }
        }
    }

    private func place(of key: ErlangTerm) -> Int? {
        if let places { return places[key] }
        return pairs.firstIndex { $0.key == key }
    }

    private static func places(of pairs: [Pair]) -> [ErlangTerm: Int] {
        Dictionary(zip(pairs.lazy.map(\.key), pairs.indices)) { first, _ in first }
    }
}

extension ErlangMap: Hashable {
    /// Whether both have the same keys with the same values.
    public static func == (left: Self, right: Self) -> Bool {
        left.pairs.count == right.pairs.count && left.pairs.allSatisfy { right[$0.key] == $0.value }
    }

    /// Hashes the pairs, whatever their order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for pair in pairs { sum ^= pair.hashValue }
        hasher.combine(sum)
        hasher.combine(pairs.count)
    }
}

extension ErlangMap: ExpressibleByDictionaryLiteral {
    /// Makes a map of a literal; of pairs with the same key, the last one counts, as in Erlang.
    public init(dictionaryLiteral elements: (ErlangTerm, ErlangTerm)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}
