// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension ProtocolDescription {
    /// Throws if the protocol has layers, `packets` or `opaque`, which a part of the program cannot read.
    ///
    /// - Parameter side: The name of that part, such as `wire diff`.
    func requirePlainContent(for side: String) throws(CommandError) {
        guard !layout.content.isPlain else { return }
        throw .failure("\(name) has `layer`, `packets` or `opaque`, which \(side) cannot read yet")
    }
}
