// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// Bytes that are a term are written again as bytes that mean the same term, and as text that does; an error stands inside
/// the bytes.
enum ErlangTermCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let term: ErlangTerm
        do throws(ErlangError) {
            term = try ErlangTerm(externalFormat: bytes.span.bytes)
        } catch {
            try require(0...bytes.count ~= (error.offset ?? 0), "\(error) in \(bytes.count) bytes")
            return
        }
        let written = try write(term)
        try require(try read(written) == term, "another term when it is written and read")
        try require(term.isNumericallyEqual(to: term) && !(term < term), "no order")
        try ErlangTextCheck.checkPrinting(term)
    }

    private static func write(_ term: ErlangTerm) throws(Finding) -> [UInt8] {
        do throws(ErlangError) { return try term.externalFormat() } catch {
            throw Finding("read, but not written: \(error)")
        }
    }

    private static func read(_ bytes: [UInt8]) throws(Finding) -> ErlangTerm {
        do throws(ErlangError) {
            return try ErlangTerm(externalFormat: bytes.span.bytes)
        } catch {
            throw Finding("written, but not read: \(error)")
        }
    }
}

/// Text that is a term is printed as text that means the same term, on one line that a terminal only shows; an error stands
/// inside the text.
enum ErlangTextCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let text = String(decoding: bytes, as: UTF8.self)
        let term: ErlangTerm
        do throws(ErlangError) {
            term = try ErlangTerm(parsing: text)
        } catch {
            return try require(0...text.utf8.count ~= (error.offset ?? 0), "\(error) in \(text.utf8.count) bytes")
        }
        try checkPrinting(term)
    }

    static func checkPrinting(_ term: ErlangTerm) throws(Finding) {
        let text = term.description
        try require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character in \(text)")
        let again: ErlangTerm
        do throws(ErlangError) {
            again = try ErlangTerm(parsing: text)
        } catch {
            // A closure has no text that says all of it.
            return try require(text.contains("#Fun<"), "printed, but not read: \(error) in \(text)")
        }
        try require(again == term, "\(text) read as \(again)")
    }
}
