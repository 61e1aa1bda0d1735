// SPDX-License-Identifier: Apache-2.0

/// Which end of the connection a ``WebSocketEngine`` is.
public enum WebSocketRole: Equatable, Sendable {
    /// Its frames are masked.
    case client
    /// Its frames are not, and it is the one to close the connection underneath.
    case server
}

/// What a ``WebSocketEngine`` holds at most, and how long it waits.
public struct WebSocketConfiguration: Equatable, Sendable {
    /// How many bytes a frame may announce (default 16 MiB); one of a compressed message twice as many and 1 KiB, for what
    /// cannot be made shorter becomes longer. More is ``WebSocketError/frameTooLarge(limit:)``, before any of them has come.
    public var frameLimit = 16 * 1024 * 1024
    /// How many bytes a message may have (default 16 MiB); a compressed one as many when it is not compressed any more, and
    /// twice as many and 1 KiB before. More is ``WebSocketError/messageTooLarge(limit:)``.
    public var messageLimit = 16 * 1024 * 1024
    /// How many fragments a message may have (default 524,288: the 16 MiB of a message in pieces of 32 bytes). Empty ones
    /// bring nothing and cost time, so that a message has to end somewhere; but nothing is kept of them, so that there is room
    /// for twice as many as it has in the smallest pieces known, those of 64 bytes (cases 9.3.1 and 9.4.1 of the Autobahn
    /// suite, with an empty one behind them). More is ``WebSocketError/tooManyFragments(limit:)``.
    public var fragmentLimit = 524_288
    /// How many bytes may wait to be sent before nothing more is taken (default 256 KiB, two of what a read of a socket hands
    /// over; less than 1 counts as 1). What is taken is taken whole, so a message more may wait.
    public var outputLimit = 256 * 1024
    /// How long the peer has for its part of the closing, and the output for leaving then (default 10 s).
    public var closeTimeout = Duration.seconds(10)
    /// Whether text is taken (default true). Otherwise it is ``WebSocketError/unexpectedText(offset:)``, before any of it has
    /// come.
    public var takesText = true
    /// Whether this side goes on to send when the peer has closed, and answers only when it closes, too (default false: it
    /// answers at once). That is for peers that have ended a stream and still read the other one; RFC 6455 §5.5.1 does not
    /// ask that of them.
    public var answersCloseLate = false

    /// Whether the peer is told of its fault only when this side closes (default false: at once), so that what is to be said
    /// to earlier messages can still be said. Nothing is read meanwhile.
    package var failsLate = false

    /// The defaults.
    public init() {}
}
