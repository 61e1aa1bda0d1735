// SPDX-License-Identifier: Apache-2.0

/// Session resumption, with a deadline for each session.
///
/// A resumed session brings no certificate. So its deadline is set when the certificates are verified, and later
/// sessions that continue it inherit the deadline. A client stores it beside the session. A server stores no sessions
/// and puts it into the ticket.
extension TLSEngine {
    /// The longest time from a full handshake to the last resumption, in seconds: one day.
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

    /// Keeps a session for the next connection; OpenSSL makes one only after verification.
    func keep(_ session: Handle) -> Bool {
        guard setup.configuration.resumesSessions, let serverName, let sessionDeadline else { return false }
        // SAFETY: the answer true tells OpenSSL that the store has taken its reference.
        let entry = unsafe SessionStore.Entry(session: session, pinOutcome: pinOutcome, deadline: sessionDeadline)
        setup.sessions.put(entry, for: serverName.text)
        return true
    }

    // MARK: Servers

    /// Adds the deadline to the session of a new ticket.
    ///
    /// - Returns: False without memory.
    func putDeadlineIntoTicket() -> Bool {
        // A resumed session keeps the deadline from its ticket.
        guard let sessionDeadline else { return true }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: Int64(sessionDeadline) >> (56 - 8 * $0)) }
        let session = unsafe openSSL.connections.session(handle)
        // SAFETY: OpenSSL copies these bytes.
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe openSSL.sessions.setTicketData(session, bytes.baseAddress, bytes.count) == 1
        }
    }

    /// Whether the session in a ticket may still be resumed.
    func mayResume(_ session: Handle?) -> Bool {
        var (data, byteCount): (AnyPointer?, Int) = (nil, 0)
        // A session of a client without a certificate has no deadline.
        guard unsafe openSSL.sessions.ticketData(session, &data, &byteCount) == 1, byteCount == 8,
            let data = unsafe data
        else { return true }
        // SAFETY: the session has that many bytes there, and lives longer than this call.
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: byteCount)
        let deadline = unsafe bytes.reduce(Int64(0)) { value, byte in value << 8 | Int64(byte) }
        return setup.now() < deadline
    }
}
