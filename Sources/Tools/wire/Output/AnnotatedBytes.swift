// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A packet as a table. Each line has a part's offset, bytes, name and value.
struct AnnotatedBytes {
    let annotation: PacketAnnotation
    let bytes: [UInt8]

    /// - Returns: The lines, without newlines.
    func lines(style: TextStyle) -> [String] {
        annotation.rows(of: bytes).map { row in
            let path = row.kind == .field ? style.strong(row.path) : row.path
            return style.faint(row.offset) + "  " + row.digits + "  " + path + "  " + row.text
        }
    }
}
