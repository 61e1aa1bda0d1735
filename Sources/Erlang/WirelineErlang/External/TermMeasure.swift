// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension ErlangTerm {
    /// Returns what `term_to_binary` writes: the version byte, then the term.
    ///
    /// The bytes equal those of OTP 26 and later, with one exception: the pairs of a map keep their order, while OTP has
    /// an order of its own.
    ///
    /// - Parameter limits: What the term may cost its reader.
    /// - Throws: ``ErlangError/unwritableTerm(_:)``, ``ErlangError/unwritableDepth(limit:)`` or a limit, for a term that
    ///   Erlang or the peer would refuse.
    public func externalFormat(limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) -> [UInt8] {
        let byteCount = try 1 + TermMeasure.byteCount(of: self, limits)
        return [UInt8](byteCount: byteCount) { writer in
            writer.writeInteger(TermTag.version, .bigEndian)
            writer.writeTerm(self)
        }
    }

    /// Returns the term without a version byte, as it follows a control message.
    ///
    /// - Throws: As ``externalFormat(limits:)``.
    package func content(limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) -> [UInt8] {
        let byteCount = try TermMeasure.byteCount(of: self, limits)
        return [UInt8](byteCount: byteCount) { $0.writeTerm(self) }
    }
}

/// Counts the bytes of a term, and checks that Erlang accepts it. After that, the term can be written without failure.
struct TermMeasure {
    private let limits: ErlangTermLimits
    private var byteCount = 0
    private var termCount = 0

    /// Without the version byte.
    static func byteCount(of term: ErlangTerm, _ limits: ErlangTermLimits) throws(ErlangError) -> Int {
        var measure = TermMeasure(limits: limits)
        try measure.add(term, depth: 0)
        guard measure.byteCount <= limits.byteCount else { throw .termTooLong(limit: limits.byteCount) }
        guard measure.termCount <= limits.termCount
        else { throw .tooManyTerms(limit: limits.termCount, offset: measure.byteCount) }
        return measure.byteCount
    }

    private init(limits: ErlangTermLimits) { self.limits = limits }

    private mutating func add(_ term: ErlangTerm, depth: Int) throws(ErlangError) {
        termCount &+= 1
        switch term {
        case .atom(let atom): byteCount &+= try Self.byteCount(of: atom)
        case .integer(let value): byteCount &+= IntegerForm(value).byteCount
        case .binary(let bytes): byteCount &+= 5 &+ bytes.count
        case .tuple(let elements):
            byteCount &+= elements.count < 256 ? 2 : 5
            try add(elements, depth: depth)
        case .list(let elements): try addList(elements, depth: depth)
        case .map(let map):
            byteCount &+= 5
            try requireDepth(depth)
            let pairs = map.pairs.span
            for index in pairs.indices {
                try add(pairs[index].key, depth: depth &+ 1)
                try add(pairs[index].value, depth: depth &+ 1)
            }
        default: try addOther(term, depth: depth)
        }
    }

    private mutating func add(_ elements: [ErlangTerm], depth: Int) throws(ErlangError) {
        try requireDepth(depth)
        // A span lends its elements: a loop over the array would retain and release each of them.
        let elements = elements.span
        for index in elements.indices { try add(elements[index], depth: depth &+ 1) }
    }

    private func requireDepth(_ depth: Int) throws(ErlangError) {
        guard depth < limits.depth else { throw .unwritableDepth(limit: limits.depth) }
    }

    private mutating func addList(_ elements: [ErlangTerm], depth: Int) throws(ErlangError) {
        if elements.isEmpty {
            byteCount &+= 1
        } else if elements.isString {
            byteCount &+= 3 &+ elements.count
            termCount &+= elements.count
        } else {
            byteCount &+= 6
            try add(elements, depth: depth)
        }
    }

    @inline(never)
    private mutating func addOther(_ term: ErlangTerm, depth: Int) throws(ErlangError) {
        switch term {
        case .bigInteger(let value):
            guard value.magnitude.count <= limits.integerByteCount
            else { throw .integerTooLong(limit: limits.integerByteCount, offset: byteCount) }
            byteCount += (value.magnitude.count < 256 ? 3 : 6) + value.magnitude.count
        case .float(let value):
            guard value.isFinite else { throw .unwritableTerm(.notFinite) }
            byteCount += 9
        case .bits(let bits): byteCount += 6 + bits.bytes.count
        case .improperList(let list):
            byteCount += 5
            try add(list.elements, depth: depth)
            try add(list.tail, depth: depth &+ 1)
        case .pid(let pid): byteCount += try Self.byteCount(of: pid)
        case .port(let port): byteCount += try 13 + Self.byteCount(of: port.node)
        case .reference(let reference): byteCount += try Self.byteCount(of: reference)
        case .function(.exported(let module, let name, _)):
            byteCount += try 3 + Self.byteCount(of: module) + Self.byteCount(of: name)
        case .function(.closure(let closure)):
            byteCount += try Self.headByteCount(of: closure)
            try add(closure.values, depth: depth)
        case .atom, .integer, .binary, .tuple, .list, .map: try add(term, depth: depth)
        }
    }

    static func byteCount(of atom: ErlangAtom) throws(ErlangError) -> Int {
        guard !atom.isTooLong else { throw .unwritableTerm(.atomTooLong) }
        let byteCount = atom.name.utf8.count
        return (byteCount < 256 ? 2 : 3) &+ byteCount
    }

    static func byteCount(of pid: ErlangPID) throws(ErlangError) -> Int { try 13 + byteCount(of: pid.node) }

    static func byteCount(of reference: ErlangReference) throws(ErlangError) -> Int {
        try 7 + 4 * reference.count + byteCount(of: reference.node)
    }

    /// Without its values.
    static func headByteCount(of closure: ErlangClosure) throws(ErlangError) -> Int {
        try 30 + byteCount(of: closure.module) + IntegerForm(closure.oldIndex).byteCount
            + IntegerForm(closure.oldUniqueness).byteCount + byteCount(of: closure.creator)
    }
}

extension [ErlangTerm] {
    /// Whether Erlang writes this list as a string: 1 to 65,535 numbers below 256.
    var isString: Bool {
        guard !isEmpty, count <= Int(UInt16.max) else { return false }
        let elements = span
        for index in elements.indices {
            guard case .integer(let value) = elements[index], UInt64(bitPattern: value) < 256 else { return false }
        }
        return true
    }
}

/// The shortest form of an integer of 64 bits.
enum IntegerForm {
    case byte(UInt8)
    case word(Int32)
    /// `byteCount` counts the bytes of the magnitude.
    case big(UInt64, isNegative: Bool, byteCount: Int)

    init(_ value: Int64) {
        if let byte = UInt8(exactly: value) {
            self = .byte(byte)
        } else if let word = Int32(exactly: value) {
            self = .word(word)
        } else {
            let byteCount = (71 - value.magnitude.leadingZeroBitCount) / 8
            self = .big(value.magnitude, isNegative: value < 0, byteCount: byteCount)
        }
    }

    /// With the tag.
    var byteCount: Int {
        switch self {
        case .byte: 2
        case .word: 5
        case .big(_, isNegative: _, let byteCount): 3 &+ byteCount
        }
    }
}
