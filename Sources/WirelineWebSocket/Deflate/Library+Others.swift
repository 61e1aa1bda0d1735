// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    /// Where nobody has tried to load a library yet: nothing is loaded.
    package struct Library {
        /// - Throws: ``WebSocketError/deflateUnavailable(reason:)``, always.
        package init(_ name: String) throws(WebSocketError) {
            throw .deflateUnavailable(reason: "\(name) is loaded on Linux only")
        }

        func function<Function>(_ name: String) throws(WebSocketError) -> Function {
            throw .deflateUnavailable(reason: "\(name) is loaded on Linux only")
        }
    }
#endif
