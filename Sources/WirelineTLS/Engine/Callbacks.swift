// SPDX-License-Identifier: Apache-2.0

/// What OpenSSL calls: each finds the engine that the call is about and leaves the work to it.
///
/// SAFETY: OpenSSL calls these only inside a call of ours for a connection, and that call was made by the connection's
/// engine, which therefore lives. They exist only once OpenSSL is loaded.
enum Callbacks {
    static let verify: OpenSSL.Verifier = { chain, _ in
        guard case .success(let openSSL) = OpenSSL.shared else { return 0 }
        let verification = openSSL.verification
        let connection = unsafe verification.extraData(chain, verification.indexOfConnection())
        guard let connection = unsafe connection, let engine = unsafe engine(of: Handle(connection), openSSL)
        else { return 0 }
        return unsafe engine.verify(chain) ? 1 : 0
    }

    static let chooseProtocol: OpenSSL.ProtocolChoice = { connection, chosen, chosenCount, offered, offeredCount, _ in
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return Constant.refused }
        let offer = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
        guard let range = unsafe engine.chooseProtocol(Array(offer)), let start = unsafe offered
        else { return Constant.refused }
        // The name stays where the client's offer is; OpenSSL copies it from there.
        unsafe chosen?.pointee = start + range.lowerBound
        unsafe chosenCount?.pointee = UInt8(range.count)
        return Constant.accepted
    }

    static let chooseIdentity: OpenSSL.NameChoice = { connection, _, _ in
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return Constant.refused }
        guard let name = engine.requestedServerName, let context = engine.context.context(for: name)
        else { return Constant.notUsed }
        // The connection takes a reference of its own, and keeps what it has but for the certificate.
        return unsafe openSSL.connections.setContext(connection, context.handle) == nil
            ? Constant.refused : Constant.accepted
    }

    static let keepSession: OpenSSL.SessionKeeper = { connection, session in
        guard case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL),
            let session = unsafe session
        else { return 0 }
        return unsafe engine.keep(session) ? 1 : 0
    }

    static let observe: OpenSSL.Observer = { connection, event, number in
        guard event == Constant.sendsAlert, number >> 8 == Constant.fatalLevel,
            case .success(let openSSL) = OpenSSL.shared, let engine = unsafe engine(of: connection, openSSL)
        else { return }
        engine.sentAlert = TLSAlert(rawValue: UInt8(truncatingIfNeeded: number))
    }

    /// Refuses a password and notes that one was wanted.
    static let refusePassword: OpenSSL.Password = { _, _, _, asked in
        unsafe asked?.storeBytes(of: true, as: Bool.self)
        return -1
    }

    private static func engine(of connection: Handle?, _ openSSL: OpenSSL) -> TLSEngine? {
        guard let data = unsafe openSSL.connections.extraData(connection, Constant.applicationIndex)
        else { return nil }
        return unsafe Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    }
}
