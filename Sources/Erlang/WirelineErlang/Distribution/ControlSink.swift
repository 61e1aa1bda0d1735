// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Takes the parts of a control message one after another, to count their bytes or to write them.
///
/// So one function describes each control message for both, and no term is made for it.
protocol ControlSink: ~Copyable, ~Escapable {
    associatedtype Failure: Error

    mutating func beginControl(_ kind: ControlKind)
    mutating func add(_ pid: ErlangPID) throws(Failure)
    mutating func add(_ atom: ErlangAtom) throws(Failure)
    mutating func add(_ reference: ErlangReference) throws(Failure)
    /// Any other term, such as a number.
    mutating func add(term: ErlangTerm) throws(Failure)
}

/// Counts the bytes of a control message, and checks that Erlang accepts it. After that, it can be written without
/// failure.
struct ControlMeasure: ControlSink {
    private let limits: ErlangTermLimits
    private(set) var byteCount = 0

    init(_ limits: ErlangTermLimits) { self.limits = limits }

    mutating func beginControl(_ kind: ControlKind) { byteCount = 4 }

    mutating func add(_ pid: ErlangPID) throws(ErlangError) { byteCount += try TermMeasure.byteCount(of: pid) }

    mutating func add(_ atom: ErlangAtom) throws(ErlangError) { byteCount += try TermMeasure.byteCount(of: atom) }

    mutating func add(_ reference: ErlangReference) throws(ErlangError) {
        byteCount += try TermMeasure.byteCount(of: reference)
    }

    mutating func add(term: ErlangTerm) throws(ErlangError) {
        byteCount += try TermMeasure.byteCount(of: term, limits)
    }
}

extension ByteWriter: ControlSink {
    mutating func beginControl(_ kind: ControlKind) {
        var run = writeRun(byteCount: 4)
        run.setInteger(TermTag.smallTuple, at: 0, .bigEndian)
        run.setInteger(UInt8(kind.partCount), at: 1, .bigEndian)
        run.setInteger(TermTag.smallInteger, at: 2, .bigEndian)
        run.setInteger(UInt8(kind.rawValue), at: 3, .bigEndian)
    }

    mutating func add(_ pid: ErlangPID) { writePID(pid) }

    mutating func add(_ atom: ErlangAtom) { writeAtom(atom) }

    mutating func add(_ reference: ErlangReference) { writeReference(reference) }

    mutating func add(term: ErlangTerm) { writeTerm(term) }
}
