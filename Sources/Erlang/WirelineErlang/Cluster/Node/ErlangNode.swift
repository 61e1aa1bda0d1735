// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport

/// A hidden node of an Erlang cluster.
///
///     let node = try await ErlangNode.start("tool@127.0.0.1", cookie: .file("~/.erlang.cookie"))
///     let answer = try await node.call(.name("scene", at: "game1@127.0.0.1"), ["get", 7])
///     await node.stop()
///
/// It speaks OTP's own distribution: other nodes need nothing besides Erlang. As in Erlang, sending to a node first
/// connects to it, and other nodes connect to us in the same way. Requests that only Erlang can serve, such as starting
/// a process, are refused at once, as OTP does.
public struct ErlangNode: Sendable {
    private final class Life: Sendable {
        let driver: NodeDriver
        let listener: Listener
        let registration: EPMDRegistration?

        init(_ driver: NodeDriver, _ listener: Listener, _ registration: EPMDRegistration?) {
            self.driver = driver
            self.listener = listener
            self.registration = registration
        }

        func end() async {
            registration?.end()
            await listener.loop.run { [listener] in listener.close() }
            await driver.stop()
        }
    }

    private let life: Life
    var driver: NodeDriver { life.driver }

    /// The node's name.
    public var name: ErlangNodeName { driver.name }

    /// The loop of the node's connections. A task that prefers it as its executor calls the node without changing
    /// threads.
    public var loop: EventLoop { driver.loop }

    /// The address at which nodes connect to us.
    public var address: SocketAddress { life.listener.address }

    // MARK: Beginning and end

    /// Starts a node: it listens, and is registered at epmd. It runs until ``stop()``.
    ///
    /// - Parameters:
    ///   - name: The full name, such as `tool@10.0.0.4`. Others reach us at the host after the `@`.
    ///   - cookie: The cluster's secret.
    ///   - group: One of its loops carries the node; nil: `EventLoopGroup.shared`.
    ///   - configuration: How nodes are found, and limits.
    /// - Throws: ``ErlangNodeError/invalidName(_:)``; ``ErlangNodeError/cookie(_:)``;
    ///   ``ErlangNodeError/nodeNameTaken(_:)``; ``ErlangNodeError/transport(_:)`` if the address is in use or epmd does
    ///   not run; ``ErlangNodeError/cancelled``.
    public static func start(
        _ name: String, cookie: ErlangCookieSource, on group: EventLoopGroup? = nil,
        configuration: ErlangNodeConfiguration = ErlangNodeConfiguration()
    ) async throws(ErlangNodeError) -> ErlangNode {
        guard let nodeName = ErlangNodeName(name) else { throw .invalidName(name) }
        let cookie = try cookie.cookie()
        let loop: EventLoop
        let listener: Listener
        do throws(TransportError) {
            loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        } catch {
            throw ErlangNodeError(error)
        }
        let (host, port) = (configuration.listeningHost ?? nodeName.host, configuration.listeningPort)
        do throws(TransportError) {
            listener = try await Listener.bind(
                to: [.host(host, port: port)], on: EventLoopGroup(loops: [loop]), ListeningPolicy())
        } catch {
            throw error == .cancelled ? .cancelled : .listening(host: host, port: port, error)
        }
        do throws(ErlangNodeError) {
            return try await start(nodeName, cookie, listener, configuration)
        } catch {
            await loop.run { listener.close() }
            throw error
        }
    }

    private static func start(
        _ name: ErlangNodeName, _ cookie: ErlangCookie, _ listener: Listener, _ configuration: ErlangNodeConfiguration
    ) async throws(ErlangNodeError) -> ErlangNode {
        let loop = listener.loop
        let note = configuration.noteHandler
        var registration: EPMDRegistration?
        // 1 to 3 are creations of an older kind.
        var creation = UInt32.random(in: 4 ... .max)
        if case .epmd(let host, let port) = configuration.portMapper, configuration.isRegistered {
            let registered: (EPMDRegistration, creation: UInt32)
            do throws(ErlangNodeError) {
                let finder = NodeFinder(loop: loop, configuration: configuration)
                guard let address = try await finder.addresses(of: host).first else { throw .transport(.noAddress) }
                registered = try await EPMDRegistration.begin(
                    name.name, at: address.withPort(port), port: listener.address.port, on: loop
                ) { note?($0) }
            } catch .transport(let error) {
                throw .epmd(host: host, port: port, error)
            }
            registration = registered.0
            creation = max(registered.creation, 1)
        }
        let core = NodeCore(
            ErlangPeer(name: name, creation: creation), cookie: cookie, settings: configuration.settings)
        let driver = NodeDriver(core, on: loop, configuration)
        let reports = Listener.Reports { error, isFirst in if isFirst { note?(.acceptFailed(error)) } }
        listener.start(reports) { stream, _ in
            driver.accepted(stream)
            // The node itself limits its connections.
            listener.connectionEnded()
        }
        return ErlangNode(life: Life(driver, listener, registration))
    }

    /// Stops the node. Its name becomes free, its connections close, its mailboxes end, and each wait fails with
    /// ``ErlangNodeError/stopped``. This waits for the node's loop, without a limit: a task that blocks the loop blocks it.
    public func stop() async { await life.end() }

    // MARK: Nodes

    /// Asks a host's epmd for its nodes.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address.
    ///   - port: epmd's port.
    ///   - group: One of its loops carries the connection; nil: `EventLoopGroup.shared`.
    /// - Returns: The ports of the nodes. A key is the part of a node's name before the `@`.
    /// - Throws: ``ErlangNodeError/transport(_:)`` if epmd does not run; ``ErlangNodeError/erlang(_:)`` if something else
    ///   answers; ``ErlangNodeError/timedOut``; ``ErlangNodeError/cancelled``.
    public static func registeredNodes(
        on host: String = "127.0.0.1", port: UInt16 = 4_369, group: EventLoopGroup? = nil
    ) async throws(ErlangNodeError) -> [String: UInt16] {
        let loop: EventLoop
        do throws(TransportError) { loop = try EventLoopGroup.sharedUnless(group).nextLoop() } catch {
            throw ErlangNodeError(error)
        }
        let finder = NodeFinder(loop: loop, configuration: ErlangNodeConfiguration())
        guard let address = try await finder.addresses(of: host).first else { throw .transport(.noAddress) }
        let (answer, _) = try await EPMDConnection.ask(.names, at: address.withPort(port), on: loop)
        guard case .names(let names) = answer else { return [:] }
        return Dictionary(names.map { ($0.name, $0.port) }) { first, _ in first }
    }

    /// Connects to a node, and waits until it is connected.
    ///
    /// - Throws: ``ErlangNodeError/unreachable(_:)``; ``ErlangNodeError/erlang(_:)`` with the handshake's error, such as
    ///   a wrong cookie; ``ErlangNodeError/transport(_:)``; ``ErlangNodeError/tooManyNodes(limit:)``;
    ///   ``ErlangNodeError/replacedTooOften(_:)``; ``ErlangNodeError/cancelled``.
    public func connect(to node: ErlangNodeName) async throws(ErlangNodeError) { try await driver.connect(to: node) }

    /// Ends the connection to a node, if there is one. Each side sees the other as gone.
    public func disconnect(from node: ErlangNodeName) {
        try? driver.withCore { core, now in core.disconnect(from: node, at: now) }
    }

    package func isConnected(to node: ErlangNodeName) -> Bool {
        (try? driver.withCore { core, _ in core.isConnected(node) }) ?? false
    }

    /// The connected nodes, sorted by name.
    public var nodes: [ErlangNodeName] { (try? driver.withCore { core, _ in core.connectedNodes }) ?? [] }

    // MARK: Processes

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - name: The name to register; nil for none.
    ///   - trapsExits: Whether the ends of linked processes come as events (`ErlangEvent.exit(_:reason:)`). If not
    ///     (default), they end the process.
    /// - Throws: ``ErlangNodeError/nameTaken(_:)``, ``ErlangNodeError/tooManyProcesses(limit:)``,
    ///   ``ErlangNodeError/stopped``.
    public func mailbox(
        named name: ErlangAtom? = nil, trapsExits: Bool = false
    ) throws(ErlangNodeError) -> ErlangMailbox {
        let pid = try driver.withCore { core, _ throws(NodeFault) in
            try core.start(name: name, trapsExits: trapsExits)
        }
        let mailbox = ErlangMailbox(pid, name: name, driver)
        // Other processes may have ended it before the driver knew the mailbox.
        if try driver.withCore({ core, _ in !core.isAlive(pid) }) { mailbox.end("killed") }
        return mailbox
    }

    /// A process group of OTP's `pg`.
    ///
    /// - Parameters:
    ///   - name: The group's name, which is any term.
    ///   - scope: The name under which `pg` runs on the nodes (default `pg`).
    public func processGroup(_ name: ErlangTerm, scope: ErlangAtom = "pg") -> ErlangProcessGroup {
        ErlangProcessGroup(name: name, scope: scope, driver: driver)
    }

    // MARK: Messages

    /// Sends a message. If the node is not connected, this connects to it, and the message waits.
    ///
    /// - Throws: ``ErlangNodeError/busy(limit:)`` if too much waits for the node; ``ErlangNodeError/erlang(_:)`` for a
    ///   term that Erlang would refuse; ``ErlangNodeError/invalidName(_:)`` for a process of a node whose name is none.
    ///   As in Erlang, it is no error if the receiver is not there.
    public func send(_ term: ErlangTerm, to destination: ErlangDestination) throws(ErlangNodeError) {
        try driver.withCore { core, now throws(NodeFault) in try core.send(term, to: destination, at: now) }
    }

    /// Sends a message, and waits for room if too much waits for the node already.
    ///
    /// This slows down a sender that is faster than the network or the other node, as Erlang does with its own
    /// processes.
    /// `send(_:to:)` does not wait, and throws ``ErlangNodeError/busy(limit:)``.
    ///
    /// - Parameters:
    ///   - term: The message.
    ///   - destination: The receiver.
    ///   - timeout: How long to wait.
    /// - Throws: ``ErlangNodeError/timedOut``; ``ErlangNodeError/cancelled``; else as `send(_:to:)`.
    public func send(
        _ term: ErlangTerm, to destination: ErlangDestination, timeout: Duration
    ) async throws(ErlangNodeError) {
        try await driver.send(to: destination, timeout: timeout) { core, now throws(NodeFault) in
            try core.send(term, to: destination, at: now)
        }
    }

    /// Sends a request without a reply to a `gen_server`: `gen_server:cast`.
    ///
    /// - Throws: As `send(_:to:)`.
    public func cast(_ destination: ErlangDestination, _ request: ErlangTerm) throws(ErlangNodeError) {
        try send(.tuple("$gen_cast", request), to: destination)
    }

    /// Calls a `gen_server`, and waits for its reply: `gen_server:call`.
    ///
    /// - Parameters:
    ///   - destination: The server.
    ///   - request: What is asked.
    ///   - timeout: How long to wait (default 5 s, as in Erlang). A reply that comes later is dropped.
    /// - Throws: ``ErlangNodeError/down(reason:)`` if the server ends or is not there; ``ErlangNodeError/timedOut``;
    ///   ``ErlangNodeError/cancelled``; what `send(_:to:)` throws.
    public func call(
        _ destination: ErlangDestination, _ request: ErlangTerm, timeout: Duration = .seconds(5)
    ) async throws(ErlangNodeError) -> ErlangTerm {
        try await driver.call(destination, request, timeout: timeout)
    }

    /// Calls a function on a node, and waits for its value: `rpc:call`.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - module: The function's module.
    ///   - function: The function.
    ///   - arguments: Its arguments.
    ///   - timeout: How long to wait (default 5 s).
    /// - Throws: ``ErlangNodeError/badRPC(reason:)`` if the function fails; else as `call(_:_:timeout:)`.
    public func rpc(
        _ node: ErlangNodeName, _ module: ErlangAtom, _ function: ErlangAtom, _ arguments: [ErlangTerm],
        timeout: Duration = .seconds(5)
    ) async throws(ErlangNodeError) -> ErlangTerm {
        let request = ErlangTerm.tuple("call", .atom(module), .atom(function), .list(arguments), "user")
        let reply = try await call(.name("rex", at: node), request, timeout: timeout)
        if case .tuple(let parts) = reply, parts.count == 2, parts[0] == "badrpc" { throw .badRPC(reason: parts[1]) }
        return reply
    }
}
