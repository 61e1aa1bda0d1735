// SPDX-License-Identifier: Apache-2.0

// Messages of a schema, as the records that they are in Erlang.
extension ErlangNode {
    /// Sends a message of a schema as a record: `Pid ! #cs_20001{…}`.
    ///
    /// ```swift
    /// try node.send(Cs_20001(sceneID: 7, line: 2, message: "hi"), to: .pid(someone))
    /// ```
    ///
    /// - Throws: ``ErlangNodeError/record(_:)`` for a message with a value that does not fit; else as
    ///   `send(_:to:)`.
    public func send(_ record: some ErlangRecord, to destination: ErlangDestination) throws(ErlangNodeError) {
        try driver.send(record, to: destination, from: nil)
    }

    /// Sends a message of a schema as a record, and waits for room if too much waits for the node already.
    ///
    /// - Parameters:
    ///   - record: The message.
    ///   - destination: The receiver.
    ///   - timeout: How long to wait.
    /// - Throws: ``ErlangNodeError/record(_:)`` for a message with a value that does not fit; else as
    ///   `send(_:to:timeout:)`.
    public func send(
        _ record: some ErlangRecord, to destination: ErlangDestination, timeout: Duration
    ) async throws(ErlangNodeError) {
        try await driver.send(record, to: destination, from: nil, timeout: timeout)
    }

    /// Sends a message of a schema to a `gen_server` that answers nothing: `gen_server:cast`.
    ///
    /// - Throws: As `send(_:to:)`.
    public func cast(_ destination: ErlangDestination, _ record: some ErlangRecord) throws(ErlangNodeError) {
        try cast(destination, driver.term(of: record))
    }

    /// Calls a `gen_server` with a message of a schema, and waits for its reply: `gen_server:call`.
    ///
    /// ```swift
    /// let reply = try await node.call(scene, Cs_20001(sceneID: 7, line: 2, message: "hi"))
    /// guard let entered = Sc_20001(reply) else { … }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The server.
    ///   - record: What is asked.
    ///   - timeout: How long to wait (default 5 s, as in Erlang). A reply that comes later is dropped.
    /// - Throws: ``ErlangNodeError/record(_:)`` for a message with a value that does not fit; else as
    ///   `call(_:_:timeout:)`.
    public func call(
        _ destination: ErlangDestination, _ record: some ErlangRecord, timeout: Duration = .seconds(5)
    ) async throws(ErlangNodeError) -> ErlangTerm {
        try await call(destination, driver.term(of: record), timeout: timeout)
    }
}

extension ErlangMailbox {
    /// Sends a message of a schema from this process, as a record.
    ///
    /// - Throws: ``ErlangNodeError/record(_:)`` for a message with a value that does not fit; else as
    ///   `send(_:to:)`.
    public func send(_ record: some ErlangRecord, to destination: ErlangDestination) throws(ErlangNodeError) {
        try driver.send(record, to: destination, from: pid)
    }

    /// Sends a message of a schema from this process, as a record, and waits for room if too much waits for the node already.
    ///
    /// - Parameters:
    ///   - record: The message.
    ///   - destination: The receiver.
    ///   - timeout: How long to wait.
    /// - Throws: ``ErlangNodeError/record(_:)`` for a message with a value that does not fit; else as
    ///   `send(_:to:timeout:)`.
    public func send(
        _ record: some ErlangRecord, to destination: ErlangDestination, timeout: Duration
    ) async throws(ErlangNodeError) {
        try await driver.send(record, to: destination, from: pid, timeout: timeout)
    }

    /// Replies to a call with a message of a schema.
    ///
    /// - Throws: ``ErlangNodeError/record(_:)`` for a message with a value that does not fit.
    public func reply(_ record: some ErlangRecord, to call: ErlangCall) throws(ErlangNodeError) {
        try reply(driver.term(of: record), to: call)
    }
}

extension NodeDriver {
    /// Encodes the record directly, without making a term.
    fileprivate func send(
        _ record: some ErlangRecord, to destination: ErlangDestination, from sender: ErlangPID?
    ) throws(ErlangNodeError) {
        let bytes = try bytes(of: record)
        try withCore { core, now throws(NodeFault) in
            try core.send(encoded: bytes, to: destination, from: sender, at: now)
        }
    }

    fileprivate func send(
        _ record: some ErlangRecord, to destination: ErlangDestination, from sender: ErlangPID?, timeout: Duration
    ) async throws(ErlangNodeError) {
        let bytes = try bytes(of: record)
        try await send(to: destination, timeout: timeout) { core, now throws(NodeFault) in
            try core.send(encoded: bytes, to: destination, from: sender, at: now)
        }
    }

    private func bytes(of record: some ErlangRecord) throws(ErlangNodeError) -> [UInt8] {
        do throws(ErlangRecordError) { return try record.encodedErlangTerm } catch { throw .record(error) }
    }

    fileprivate func term(of record: some ErlangRecord) throws(ErlangNodeError) -> ErlangTerm {
        do throws(ErlangRecordError) { return try record.erlangTerm } catch { throw .record(error) }
    }
}
