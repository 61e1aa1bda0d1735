// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The service manager that has started this process, such as systemd.
///
///     let server = try await PacketServer.start(at: ServiceManager.inheritedAddresses(), …)
///     ServiceManager.notify(.ready)
///     try await server.runUntilSignal()
///
/// Without a service manager, there is nothing to inherit, and `notify` has no effect.
public enum ServiceManager {
    /// A state that the service manager can receive (sd_notify(3)).
    public enum State: Equatable, Sendable {
        /// The service takes clients. With `Type=notify`, systemd waits for this before it starts dependent services.
        case ready
        /// The service has begun to shut down.
        case stopping
        /// The current activity of the service, in a few words, for `systemctl status`.
        case status(String)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            // A line ends the value.
            case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
            }
        }
    }

    /// The first descriptor that systemd hands over.
    private static let firstDescriptor: Int32 = 3
    /// More sockets than any service has.
    private static let descriptorLimit: Int32 = 1_024

    /// Sends a state to the service manager.
    ///
    /// It sends a datagram to the socket that the environment variable `NOTIFY_SOCKET` names.
    ///
    /// - Returns: Whether the state was sent; false also if there is no service manager.
    @discardableResult
    public static func notify(_ state: State) -> Bool { notify(state, at: variable("NOTIFY_SOCKET")) }

    package static func notify(_ state: State, at path: String?) -> Bool {
        guard let path, let address = try? SocketAddress(unixPath: path),
            let socket = try? SystemCall.makeSocket(for: address, .datagram),
            (try? SystemCall.connect(socket.number, to: address)) == true
        else { return false }
        let bytes = Array(state.text.utf8)
        // SAFETY: the memory is the array's for as long as the call lasts.
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe SystemCall.send(socket.number, $0, byteCount: bytes.count) }
        }
        return result == .bytes(bytes.count)
    }

    /// The listening sockets that the service manager hands over (`ListenStream=` in a unit of type socket).
    ///
    /// The environment variables `LISTEN_PID` and `LISTEN_FDS` announce them (sd_listen_fds(3)). Only one server can
    /// take each of them.
    public static func inheritedAddresses() -> [ListeningAddress] {
        inheritedAddresses(process: variable("LISTEN_PID"), count: variable("LISTEN_FDS"))
    }

    package static func inheritedAddresses(process: String?, count: String?) -> [ListeningAddress] {
        guard let process, Int32(process) == getpid(), let count = count.flatMap({ Int32($0) }), count > 0 else {
            return []
        }
        let end = firstDescriptor + min(count, descriptorLimit)
        return (firstDescriptor..<end).map { .inherited(descriptor: $0) }
    }

    private static func variable(_ name: String) -> String? {
        // SAFETY: only another thread of the program could change the environment while the text is copied.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }
}
