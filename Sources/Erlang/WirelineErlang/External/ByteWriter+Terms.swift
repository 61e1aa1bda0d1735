// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// Each term was measured before, which also checked it.
extension ByteWriter {
    /// Without a version byte.
    mutating func writeTerm(_ term: ErlangTerm) {
        switch term {
        case .atom(let atom): writeAtom(atom)
        case .integer(let value): writeIntegerTerm(value)
        case .binary(let bytes):
            writeHead(TermTag.binary, count: bytes.count)
            writeBytes(bytes)
        case .tuple(let elements): writeTuple(elements)
        case .list(let elements): writeList(elements)
        case .map(let map):
            writeHead(TermTag.map, count: map.count)
            let pairs = map.pairs.span
            for index in pairs.indices {
                writeTerm(pairs[index].key)
                writeTerm(pairs[index].value)
            }
        default: writeOther(term)
        }
    }

    @inline(never)
    private mutating func writeOther(_ term: ErlangTerm) {
        switch term {
        case .bigInteger(let value): writeBig(value)
        case .float(let value):
            var run = writeRun(byteCount: 9)
            run.setInteger(TermTag.float, at: 0, .bigEndian)
            run.setFloat64(value, at: 1, .bigEndian)
        case .bits(let bits):
            writeHead(TermTag.bits, count: bits.bytes.count)
            writeInteger(UInt8(bits.lastBitCount), .bigEndian)
            writeBytes(bits.bytes)
        case .improperList(let list):
            writeHead(TermTag.list, count: list.elements.count)
            writeTerms(list.elements)
            writeTerm(list.tail)
        case .pid(let pid): writePID(pid)
        case .port(let port):
            writeInteger(TermTag.port, .bigEndian)
            writeAtom(port.node)
            writeInteger(port.id, .bigEndian)
            writeInteger(port.creation, .bigEndian)
        case .reference(let reference): writeReference(reference)
        case .function(let function): writeFunction(function)
        case .atom, .integer, .binary, .tuple, .list, .map: writeTerm(term)
        }
    }

    /// A span lends the terms: a loop over the array would retain and release each of them.
    private mutating func writeTerms(_ terms: [ErlangTerm]) {
        let terms = terms.span
        for index in terms.indices { writeTerm(terms[index]) }
    }

    /// Writes a tag and a 32-bit count.
    private mutating func writeHead(_ tag: UInt8, count: Int) {
        var run = writeRun(byteCount: 5)
        run.setInteger(tag, at: 0, .bigEndian)
        run.setInteger(UInt32(count), at: 1, .bigEndian)
    }

    private mutating func writeTuple(_ elements: [ErlangTerm]) {
        if elements.count < 256 {
            writeInteger(UInt16(TermTag.smallTuple) << 8 | UInt16(elements.count), .bigEndian)
        } else {
            writeHead(TermTag.largeTuple, count: elements.count)
        }
        writeTerms(elements)
    }

    private mutating func writeList(_ elements: [ErlangTerm]) {
        guard !elements.isEmpty else { return writeInteger(TermTag.emptyList, .bigEndian) }
        if elements.isString { return writeString(elements) }
        writeHead(TermTag.list, count: elements.count)
        writeTerms(elements)
        writeInteger(TermTag.emptyList, .bigEndian)
    }

    private mutating func writeString(_ elements: [ErlangTerm]) {
        writeInteger(TermTag.string, .bigEndian)
        writeInteger(UInt16(elements.count), .bigEndian)
        for element in elements {
            guard case .integer(let value) = element else { preconditionFailure("a string of \(element)") }
            writeInteger(UInt8(value), .bigEndian)
        }
    }

    // MARK: Numbers

    private mutating func writeIntegerTerm(_ value: Int64) {
        switch IntegerForm(value) {
        case .byte(let byte):
            writeInteger(UInt16(TermTag.smallInteger) << 8 | UInt16(byte), .bigEndian)
        case .word(let word):
            var run = writeRun(byteCount: 5)
            run.setInteger(TermTag.integer, at: 0, .bigEndian)
            run.setInteger(word, at: 1, .bigEndian)
        case .big(let magnitude, let isNegative, let byteCount):
            var run = writeRun(byteCount: 3)
            run.setInteger(TermTag.smallBig, at: 0, .bigEndian)
            run.setInteger(UInt8(byteCount), at: 1, .bigEndian)
            run.setBoolean(isNegative, at: 2)
            writeUnsigned(magnitude, byteCount: byteCount, .littleEndian)
        }
    }

    private mutating func writeBig(_ value: ErlangBigInteger) {
        if value.magnitude.count < 256 {
            writeInteger(UInt16(TermTag.smallBig) << 8 | UInt16(value.magnitude.count), .bigEndian)
        } else {
            writeHead(TermTag.largeBig, count: value.magnitude.count)
        }
        writeBoolean(value.isNegative)
        writeBytes(value.magnitude)
    }

    // MARK: Names

    mutating func writeAtom(_ atom: ErlangAtom) {
        let byteCount = atom.name.utf8.count
        if byteCount < 256 {
            writeInteger(UInt16(TermTag.smallAtom) << 8 | UInt16(byteCount), .bigEndian)
        } else {
            var run = writeRun(byteCount: 3)
            run.setInteger(TermTag.atom, at: 0, .bigEndian)
            run.setInteger(UInt16(byteCount), at: 1, .bigEndian)
        }
        writeText(atom.name)
    }

    mutating func writePID(_ pid: ErlangPID) {
        writeInteger(TermTag.pid, .bigEndian)
        writeAtom(pid.node)
        var run = writeRun(byteCount: 12)
        run.setInteger(pid.id, at: 0, .bigEndian)
        run.setInteger(pid.serial, at: 4, .bigEndian)
        run.setInteger(pid.creation, at: 8, .bigEndian)
    }

    mutating func writeReference(_ reference: ErlangReference) {
        writeInteger(TermTag.reference, .bigEndian)
        writeInteger(UInt16(reference.count), .bigEndian)
        writeAtom(reference.node)
        writeInteger(reference.creation, .bigEndian)
        for index in 0..<reference.count { writeInteger(reference[index], .bigEndian) }
    }

    private mutating func writeFunction(_ function: ErlangFunction) {
        switch function {
        case .exported(let module, let name, let arity):
            writeInteger(TermTag.export, .bigEndian)
            writeAtom(module)
            writeAtom(name)
            writeIntegerTerm(Int64(arity))
        case .closure(let closure):
            let start = offset
            writeInteger(TermTag.function, .bigEndian)
            writeInteger(0 as UInt32, .bigEndian)
            writeInteger(closure.arity, .bigEndian)
            writeBytes(closure.uniqueness)
            writeInteger(closure.index, .bigEndian)
            writeInteger(UInt32(closure.values.count), .bigEndian)
            writeAtom(closure.module)
            writeIntegerTerm(closure.oldIndex)
            writeIntegerTerm(closure.oldUniqueness)
            writePID(closure.creator)
            writeTerms(closure.values)
            // The size counts its own bytes and everything after them.
            let byteCount = offset - start - 1
            patchUnsigned(UInt64(byteCount), at: start + 1, byteCount: 4, .bigEndian)
        }
    }
}
