// SPDX-License-Identifier: Apache-2.0

/// The side of the connection that a ``WebSocketEngine`` represents.
public enum WebSocketRole: Equatable, Sendable {
    /// The client masks its frames.
    case client
    /// The server does not mask its frames, and closes the TCP connection.
    case server
}

extension WebSocketEngine {
    /// The limits and timeouts of a ``WebSocketEngine``.
    public struct Configuration: Equatable, Sendable {
        /// The largest payload that a frame may announce, in bytes (default 16 MiB).
        ///
        /// A frame of a compressed message may have twice as many and 1 KiB, because incompressible content grows. A
        /// larger frame is ``WebSocketError/frameTooLarge(limit:)``, thrown before any of its payload arrives.
        public var frameLimit = 16 * 1024 * 1024
        /// The largest message, in bytes (default 16 MiB).
        ///
        /// For a compressed message this limits the decompressed size. The compressed size may be twice as large and 1
        /// KiB. A larger message is ``WebSocketError/messageTooLarge(limit:)``.
        public var messageLimit = 16 * 1024 * 1024
        /// The largest number of fragments of a message (default 524,288: 16 MiB in pieces of 32 bytes).
        ///
        /// An empty fragment costs processor time but no memory. The default is twice what 16 MiB need in pieces of 64
        /// bytes, the smallest known pieces (cases 9.3.1 and 9.4.1 of the Autobahn suite, which end with an empty
        /// fragment). More is ``WebSocketError/tooManyFragments(limit:)``.
        public var fragmentLimit = 524_288
        /// The size of the output queue at which no more is accepted, in bytes (default 256 KiB; less than 1 counts as
        /// 1).
        ///
        /// The default is twice what one read of a socket returns. A message is queued whole, so the queue may exceed
        /// the limit by one message.
        public var outputLimit = 256 * 1024
        /// The timeout for the peer's close frame, and then for sending the remaining output (default 10 s).
        ///
        /// It restarts whenever the peer takes some of the queued output.
        public var closeTimeout = Duration.seconds(10)
        /// Whether text messages are accepted (default true).
        ///
        /// If false, text is ``WebSocketError/unexpectedText(offset:)``, thrown before any of it arrives.
        public var takesText = true
        /// Whether this side may still send after the peer has closed (default false: it answers at once).
        ///
        /// If true, it answers when it closes itself. This is a half-close for peers that still read after they have
        /// closed. RFC 6455 §5.5.1 does not require peers to do so.
        public var answersCloseLate = false

        /// Whether the peer learns of its fault only when this side closes (default false: at once).
        ///
        /// Until then, replies to earlier messages can still be sent. Nothing is read in the meantime.
        package var failsLate = false

        /// The defaults.
        public init() {}
    }
}
