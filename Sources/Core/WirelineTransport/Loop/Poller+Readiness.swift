// SPDX-License-Identifier: Apache-2.0

extension Poller {
    struct Readiness: OptionSet {
        let rawValue: UInt8

        /// There are bytes, an end of stream, an error or a connection to accept.
        static let readable = Readiness(rawValue: 1)
        /// Bytes can be sent, or an attempt to connect has ended.
        static let writable = Readiness(rawValue: 2)
        /// The peer has ended: reading leads to an end of stream or an error.
        static let ended = Readiness(rawValue: 4)
        /// The connection is over: the peer has reset it, or the system has given it up.
        static let failed = Readiness(rawValue: 8)
        /// There is urgent data (RFC 9293 §3.8.5); reads stop before and after it.
        static let urgent = Readiness(rawValue: 16)
    }
}
