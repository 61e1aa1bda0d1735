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

    /// Writes text in UTF-16, with its prefix or its end.
    mutating func appendUTF16(
        _ text: String, _ extent: TypeDescription.Extent, _ byteOrder: ByteOrder, _ limits: FieldLimits
    ) throws(TranslationError) {
        if case .fixed(let byteCount, let padding) = extent {
            try check { () throws(CodecError) in
                try FieldCheck.utf16(text, byteCount: byteCount, padding: padding)
            }
            return bytes.append(byteCount: byteCount) { writer in
                var run = writer.writeRun(byteCount: byteCount)
                run.setUTF16(text, at: 0, byteCount: byteCount, padding: padding, byteOrder)
            }
        }
        let unitCount = text.utf16UnitCount
        try appendCount(unitCount, extent, limits)
        guard extent == .terminated else {
            return bytes.append(byteCount: 2 * unitCount) { $0.writeUTF16(text, byteOrder) }
        }
        guard !text.utf8.contains(0) else { throw TranslationError(.embeddedTerminator) }
        bytes.append(byteCount: 2 * unitCount + 2) { writer in
            writer.writeUTF16(text, byteOrder)
            writer.writeInteger(0 as UInt16, byteOrder)
        }
    }

    mutating func append(digits text: String, _ format: DigitFormat) throws(TranslationError) {
        let digits = Array(text.utf8)
        if let fault = format.fault(of: digits) { throw TranslationError(fault) }
        bytes.append(byteCount: format.byteCount) { format.write(digits, to: &$0) }
    }

    /// Refuses a value for the same reason as generated code.
    private func check(_ body: () throws(CodecError) -> Void) throws(TranslationError) {
        do throws(CodecError) { try body() } catch { throw TranslationError(error.reason) }
    }
}
