// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The secret that all nodes of a cluster share.
///
/// Whoever has it can run any program on any node. So no description, mirror or error contains it.
package struct ErlangCookie: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// - Parameter text: The cookie, without a line end.
    /// - Returns: nil for an empty one.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        bytes = Array(text.utf8)
    }

    /// The proof for a challenge: the MD5 of the cookie and of the challenge in decimal.
    func digest(of challenge: UInt32) -> [UInt8] { MD5.hash(bytes + String(challenge).utf8) }

    /// Checks a proof. The time does not depend on the number of equal bytes.
    func answers(_ challenge: UInt32, with digest: [UInt8]) -> Bool {
        let expected = self.digest(of: challenge)
        var difference: UInt8 = expected.count == digest.count ? 0 : 1
        for (left, right) in zip(expected, digest) { difference |= left ^ right }
        return difference == 0
    }

    package var description: String { HiddenValue.text }

    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
