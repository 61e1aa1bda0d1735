// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension ProtocolDescription {
    /// Refuses a protocol with layers, `packets` or `opaque`, for a part of the program that cannot read them.
    ///
    /// - Parameter side: That part: `wire diff`.
    func requirePlainContent(for side: String) throws(CommandError) {
        guard !layout.content.isPlain else { return }
        throw .failure("\(name) has `layer`, `packets` or `opaque`, which \(side) cannot read yet")
    }
}
