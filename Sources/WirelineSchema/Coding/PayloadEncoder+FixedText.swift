// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension PayloadEncoder {
    /// Writes text in a fixed number of bytes, filled with `padding`.
    mutating func appendText(_ text: String, byteCount: Int, padding: UInt8) throws(TranslationError) {
        try check { () throws(CodecError) in
            try FieldCheck.text(text, byteCount: byteCount, padding: padding)
        }
        bytes.append(byteCount: byteCount) { writer in
            var run = writer.writeRun(byteCount: byteCount)
            run.setText(text, at: 0, byteCount: byteCount, padding: padding)
        }
    }

    /// Writes decimal digits, two in a byte.
    mutating func appendDigits(_ text: String, byteCount: Int) throws(TranslationError) {
        try check { () throws(CodecError) in
            try FieldCheck.digits(text, count: 2 * byteCount)
        }
        bytes.append(byteCount: byteCount) { writer in
            var run = writer.writeRun(byteCount: byteCount)
            run.setDigits(text, at: 0)
        }
    }

    /// Refuses a value for the reason for which generated code refuses it.
    private func check(_ body: () throws(CodecError) -> Void) throws(TranslationError) {
        do throws(CodecError) { try body() } catch { throw TranslationError(error.reason) }
    }
}
