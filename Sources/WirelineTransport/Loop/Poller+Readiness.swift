// SPDX-License-Identifier: Apache-2.0

extension Poller {
    /// What has become of a socket.
    struct Readiness: OptionSet {
        let rawValue: UInt8

        /// There are bytes, an end of stream, an error or a connection to be taken.
        static let readable = Readiness(rawValue: 1)
        /// There is room for bytes, or an attempt to connect has ended.
        static let writable = Readiness(rawValue: 2)
        /// The peer has ended: reading on will come to an end of stream or an error.
        static let ended = Readiness(rawValue: 4)
    }
}
