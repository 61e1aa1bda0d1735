// SPDX-License-Identifier: Apache-2.0

/// The callbacks for OpenSSL: each finds its engine and calls it.
///
/// SAFETY: OpenSSL calls these only inside a call of ours for a connection, and that call was made by the connection's
/// engine, which therefore lives. They exist only once OpenSSL is loaded.
enum Callbacks {
    static let verify: OpenSSL.Verifier = { chain, _ in
        guard case .success(let openSSL) = OpenSSL.shared else { return 0 }
        let verification = openSSL.verification
        // SAFETY: OpenSSL calls this only inside a call of the engine, and lends the chain for as long as this function
        // runs.
        let connection = unsafe verification.extraData(chain, verification.indexOfConnection())
        guard let connection = unsafe connection, let engine = unsafe engine(of: Handle(connection), openSSL)
        else { return 0 }
        return unsafe engine.verify(chain) ? 1 : 0
    }

    static let chooseProtocol: OpenSSL.ProtocolChoice = { connection, chosen, chosenCount, offered, offeredCount, _ in
        // SAFETY: OpenSSL calls this only inside a call of the engine, and says how long the offer is.
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return Constant.refused }
        let offer = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
        guard let range = unsafe engine.chooseProtocol(Array(offer)), let start = unsafe offered
        else { return Constant.refused }
        // The name stays in the client's offer; OpenSSL copies it from there.
        unsafe chosen?.pointee = start + range.lowerBound
        unsafe chosenCount?.pointee = UInt8(range.count)
        return Constant.accepted
    }

    static let chooseIdentity: OpenSSL.NameChoice = { connection, _, _ in
        // SAFETY: OpenSSL calls this only inside a call of the engine, whose setup owns the other one.
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return Constant.refused }
        guard let name = engine.requestedServerName, let setup = engine.setup.setup(for: name)
        else { return Constant.notUsed }
        // The connection takes its own reference, and changes only its certificate.
        return unsafe openSSL.connections.setContext(connection, setup.handle) == nil
            ? Constant.refused : Constant.accepted
    }

    static let keepSession: OpenSSL.SessionKeeper = { connection, session in
        // SAFETY: OpenSSL calls this only inside a call of the engine; with the answer 1 it gives up its reference to
        // the session.
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL),
            let session = unsafe session
        else { return 0 }
        return unsafe engine.keep(session) ? 1 : 0
    }

    static let makeTicket: OpenSSL.TicketMaker = { connection, _ in
        // SAFETY: OpenSSL calls this only inside a call of the engine, so the engine lives.
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return 0 }
        return engine.putConditionsIntoTicket() ? 1 : 0
    }

    static let chooseTicket: OpenSSL.TicketChoice = { connection, session, _, _, status, _ in
        // SAFETY: OpenSSL calls this only inside a call of the engine, and lends the session for as long as this
        // function runs.
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return Constant.abort }
        switch status {
        case Constant.ticketIsEmpty, Constant.ticketIsForeign: return Constant.ignoreTicket
        case Constant.ticketIsGood, Constant.ticketIsGoodAndRenewed:
            // Otherwise there is a full handshake, which verifies the certificates again.
            guard unsafe engine.mayResume(session) else { return Constant.ignoreTicket }
            return status == Constant.ticketIsGood ? Constant.useTicket : Constant.useAndRenewTicket
        default: return Constant.abort
        }
    }

    static let observe: OpenSSL.Observer = { connection, event, number in
        guard event == Constant.sendsAlert, number >> 8 == Constant.fatalLevel,
            // SAFETY: OpenSSL calls this only inside a call of the engine, so the engine lives.
            case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return }
        engine.sentAlert = TLSAlert(rawValue: UInt8(truncatingIfNeeded: number))
    }

    static let logKey: OpenSSL.KeyLogger = { connection, line in
        // SAFETY: OpenSSL calls this only inside a call of the engine, and lends the line, a C string, for as long as
        // this function runs.
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL),
            let line = unsafe line
        else { return }
        engine.setup.configuration.keyLog?.receive(unsafe String(cString: line))
    }

    /// Refuses a password, and sets a flag that OpenSSL has asked for one.
    static let refusePassword: OpenSSL.Password = { _, _, _, asked in
        // SAFETY: ``PrivateKey`` and ``CertificateList`` give a pointer to a `Bool` that lives as long as their call.
        unsafe asked?.storeBytes(of: true, as: Bool.self)
        return -1
    }

    private static func engine(of connection: Handle?, _ openSSL: OpenSSL) -> TLSEngine? {
        // SAFETY: the engine put itself there, and lives, because only its own methods make OpenSSL call back.
        guard let data = unsafe openSSL.connections.extraData(connection, Constant.applicationIndex)
        else { return nil }
        return unsafe Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    }
}
