// SPDX-License-Identifier: Apache-2.0

/// The receiver of the secrets of connections, so that Wireshark can read a capture of them.
///
///     configuration.keyLog = try .file("keys.log")
///
/// Then `tshark -o tls.keylog_file:keys.log -r capture.pcapng` shows the plaintext. A reader of the lines can read all
/// of these connections, also from an earlier capture: use it to look for faults, never in normal operation.
///
/// Nothing is logged unless ``TLSConfiguration/keyLog`` is set. The environment variable `SSLKEYLOGFILE` has no effect.
public struct TLSKeyLog: Sendable {
    let receive: @Sendable (String) -> Void

    /// Makes a log that gives each line to a closure.
    ///
    /// - Parameter receive: Receives a line in the format of `SSLKEYLOGFILE` (RFC 9850), without the line break, such as
    ///   `CLIENT_TRAFFIC_SECRET_0 …`. It runs during the handshake, on the thread of the connection, and must not block.
    public init(_ receive: @escaping @Sendable (_ line: String) -> Void) {
        self.receive = receive
    }

    /// Makes a log that appends to a file, which tools can read at the same time.
    ///
    /// A new file has mode 0600. An existing one must be a regular file of this user that nobody else may read, and not
    /// a symbolic link. The thread of a connection writes each line at once. If the disk is full, lines are lost, and
    /// connections continue.
    ///
    /// - Parameter path: The path of the file. It is opened now, and closed after the last context that has it.
    /// - Throws: ``TLSError/unusableKeyLog(path:code:)``; ``TLSError/exposedKeyLog(path:)``.
    public static func file(_ path: String) throws(TLSError) -> TLSKeyLog {
        let file = try KeyLogFile(path)
        return TLSKeyLog { file.append($0) }
    }
}
