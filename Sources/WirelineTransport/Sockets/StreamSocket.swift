// SPDX-License-Identifier: Apache-2.0

/// The socket of a stream, and the handler that receives its events.
///
/// The stream is *idle* while it has no handler: before it is started, and after it was detached. Then it is *open*,
/// and at last *closed*.
///
/// INVARIANT: there is a handler only while there is a descriptor.
struct StreamSocket: ~Copyable {
    private var descriptor: Descriptor?
    private(set) var handler: (any ByteStreamHandler)?

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = consume descriptor
    }

    /// The number for system calls; −1 if the socket is closed.
    var number: Int32 {
        switch descriptor {
        case .some(let descriptor): descriptor.number
        case nil: -1
        }
    }

    var isOpen: Bool { handler != nil }

    /// Takes a handler.
    mutating func open(_ handler: any ByteStreamHandler) {
        precondition(descriptor != nil, "start of a stream that is closed")
        self.handler = handler
    }

    /// Takes the handler out; the socket stays open.
    ///
    /// The caller releases the handler, because its `deinit` may use the stream.
    mutating func takeHandler() -> (any ByteStreamHandler)? { handler.take() }

    /// Closes the socket, which no handler uses any more.
    mutating func close() {
        handler = nil
        descriptor = nil
    }
}
