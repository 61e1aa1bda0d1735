// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing

extension Vector {
    /// `RECORD_VECTORS=1` overwrites the expected results with those of the codec. The run fails, so that it is not
    /// taken for a test; read the difference before you commit it.
    static let isRecording = ProcessInfo.processInfo.environment["RECORD_VECTORS"] == "1"

    func record(_ text: String) throws {
        let file = hexFile.deletingPathExtension().appendingPathExtension(kind == .invalid ? "txt" : "json")
        try Data((text + "\n").utf8).write(to: file)
        Issue.record("recorded \(name)")
    }
}

extension Vector: CustomTestStringConvertible {
    public var testDescription: String { name }
}

extension ProtocolFolder: CustomTestStringConvertible {
    public var testDescription: String { name }
}
