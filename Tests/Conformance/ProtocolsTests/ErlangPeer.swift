// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport

extension ErlangScript {
    /// The same protocols, written by hand in Erlang's bit syntax.
    static let peer = ErlangScript(
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Erlang/peer.escript"))
}
