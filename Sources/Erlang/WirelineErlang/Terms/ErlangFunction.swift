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
    /// The number of its arguments.
    public let arity: UInt8
    /// The number of the function in its module.
    public let index: UInt32
    /// The hash of the module's code, 16 bytes.
    public let uniqueness: [UInt8]
    /// Its number in the module, by an older scheme.
    public let oldIndex: Int64
    /// The hash from that scheme.
    public let oldUniqueness: Int64
    /// The process that made it.
    public let creator: ErlangPID
    /// The values that it uses.
    public let values: [ErlangTerm]

    /// Only a node makes closures. This is for terms that were read, and for tests.
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
