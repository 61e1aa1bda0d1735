// SPDX-License-Identifier: Apache-2.0

/// Session resumption, with a deadline and a host for each session.
///
/// A resumed session brings no certificate. So the deadline is set when the certificates are verified, and later
/// sessions that continue the session inherit it. A client stores the deadline beside the session. A server stores no
/// sessions: it puts the deadline into the ticket, together with the host that the client has requested.
extension TLSEngine {
    /// The longest time from a full handshake to the last resumption, in seconds: one day.
    ///
    /// Without a limit, each resumption would extend the use of keys and certificates without a new check (RFC 8446
    /// §4.6.1).
    static let sessionLifetime = 86_400

    // MARK: Clients

    func resumeSession(of serverName: ServerName) throws(TLSError) {
        let sessions = openSSL.sessions
        guard setup.configuration.resumesSessions, let entry = setup.sessions.take(for: serverName.text)
        else { return }
        // A certificate may have expired; a full handshake must detect that.
        // SAFETY: here and below, the entry was taken from the store with its reference, which is freed or given back
        // once.
        guard setup.now() < entry.deadline else { return unsafe sessions.free(entry.session) }
        // A fatal alert after the ticket has ended the session too (RFC 5246 §7.2.2); free it here.
        guard unsafe sessions.isResumable(entry.session) == 1 else { return unsafe sessions.free(entry.session) }
        let status = unsafe openSSL.connections.setSession(handle, entry.session)
        if unsafe sessions.version(entry.session) < Int32(TLSVersion.tls13.rawValue) {
            setup.sessions.put(entry, for: serverName.text)
        } else {
            // Using a ticket twice would identify the client (RFC 8446 §C.4); the server sends new ones.
            unsafe sessions.free(entry.session)
        }
        try setup.require(status == 1)
        pinOutcome = entry.pinOutcome
        sessionDeadline = entry.deadline
    }

    /// OpenSSL makes a session only after verification.
    func keep(_ session: Handle) -> Bool {
        guard setup.configuration.resumesSessions, let serverName, let sessionDeadline else { return false }
        // SAFETY: the answer true tells OpenSSL that the store has taken its reference.
        let entry = unsafe SessionStore.Entry(session: session, pinOutcome: pinOutcome, deadline: sessionDeadline)
        setup.sessions.put(entry, for: serverName.text)
        return true
    }

    // MARK: Servers

    /// Adds the deadline and the requested host to the session of a new ticket.
    ///
    ///     byte 0 … 7                    byte 8 …
    ///     deadline, big-endian          host in lower case; empty if none was requested
    ///
    /// - Returns: False without memory.
    func putConditionsIntoTicket() -> Bool {
        // A resumed session keeps those from its ticket.
        guard unsafe openSSL.connections.isResumed(handle) == 0 else { return true }
        // A client without a certificate has no deadline.
        let deadline = sessionDeadline.map { Int64($0) } ?? .max
        let time = (0..<8).map { UInt8(truncatingIfNeeded: deadline >> (56 - 8 * $0)) }
        let bytes = time + Self.hostKey(requestedServerName)
        let session = unsafe openSSL.connections.session(handle)
        // SAFETY: OpenSSL copies these bytes.
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe openSSL.sessions.setTicketData(session, bytes.baseAddress, bytes.count) == 1
        }
    }

    /// Whether the session in a ticket may be resumed, by a client that requests this host (RFC 6066 §3).
    ///
    /// Call it only while OpenSSL reads a client's first message.
    func mayResume(_ session: Handle?) -> Bool {
        var (data, byteCount): (AnyPointer?, Int) = (nil, 0)
        guard unsafe openSSL.sessions.ticketData(session, &data, &byteCount) == 1, byteCount >= 8,
            let data = unsafe data
        else { return false }
        // SAFETY: the session has that many bytes there, and lives longer than this call.
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: data, count: byteCount))
        let deadline = bytes[..<8].reduce(Int64(0)) { value, byte in value << 8 | Int64(byte) }
        return setup.now() < deadline && bytes[8...].elementsEqual(Self.hostKey(hostInHello))
    }

    private static func hostKey(_ host: String?) -> [UInt8] { Array((host ?? "").lowercased().utf8) }

    /// The requested host (RFC 6066 §3): OpenSSL itself reads it only after the ticket.
    ///
    ///     bytes 0, 1          byte 2        bytes 3, 4      byte 5 …
    ///     length of the list  kind: 0       length          host
    private var hostInHello: String? {
        var (start, count): (Bytes?, Int) = (nil, 0)
        guard unsafe openSSL.connections.helloExtension(handle, Constant.serverNameExtension, &start, &count) == 1,
            count > 5
        else { return nil }
        // SAFETY: OpenSSL gives the extension's address and length, and keeps it while this function runs. It refuses
        // a list that is not exactly one host.
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count).dropFirst(5), as: UTF8.self)
    }
}
