// SPDX-License-Identifier: Apache-2.0

/// A function of Erlang. It cannot be called here; it can be kept and sent back.
public enum ErlangFunction: Hashable, Sendable {
    /// A function that a module exports: `fun lists:sum/1`.
    case exported(module: ErlangAtom, name: ErlangAtom, arity: UInt8)
    /// Code of a module together with the values that it uses.
    case closure(ErlangClosure)
}

/// Code of a module together with the values that it uses.
public struct ErlangClosure: Hashable, Sendable {
    /// The module that contains the code.
    public let module: ErlangAtom
    /// How many arguments it takes.
    public let arity: UInt8
    /// Which function of the module it is.
    public let index: UInt32
    /// The hash of the module's code, 16 bytes.
    public let uniqueness: [UInt8]
    /// Its number in the module, from an older scheme.
    public let oldIndex: Int64
    /// The hash from that scheme.
    public let oldUniqueness: Int64
    /// The process that made it.
    public let creator: ErlangPID
    /// The values that it uses.
    public let values: [ErlangTerm]

    /// Only a node makes closures; this is for what was read, and for tests.
    package init(
        module: ErlangAtom, arity: UInt8, index: UInt32, uniqueness: [UInt8], oldIndex: Int64, oldUniqueness: Int64,
        creator: ErlangPID, values: [ErlangTerm]
    ) {
        precondition(uniqueness.count == 16, "the hash of a module has 16 bytes")
        self.module = module
        self.arity = arity
        self.index = index
        self.uniqueness = uniqueness
        self.oldIndex = oldIndex
        self.oldUniqueness = oldUniqueness
        self.creator = creator
        self.values = values
    }
}
