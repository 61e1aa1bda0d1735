// SPDX-License-Identifier: Apache-2.0

import Wireline
public import WirelineErlang
public import WirelineTransport

/// A gateway: it holds the connections of clients, each of which is a process of an Erlang cluster.
///
/// ```swift
/// let configuration = ErlangGatewayConfiguration(
///     endpoints: [.init(.host("0.0.0.0", port: 9001))], backends: .group("scene"), nodes: ["game1@10.0.0.5"])
/// let gateway = try await ErlangGateway.start(
///     "gw1@10.0.0.4", cookie: .file("~/.erlang.cookie"), protocol: GatewayProtocol(SceneProtocol.erlangRecords),
///     configuration: configuration)
/// ```
///
/// A backend, which is a member of the group, is asked to own each client, gets what the client says, and sends records to
/// it. If the backend is lost, another one gets the client, which does not notice. The gateway runs until
/// ``drain(for:)``.
public struct ErlangGateway: Sendable {
    /// The gateway's state for a load balancer.
    public enum Health: Equatable, Sendable {
        /// The gateway takes clients, and has backends for them.
        case ready
        /// It takes clients, and they wait for a backend.
        case noBackend
        /// It drains.
        case draining
    }

    /// How long the start waits for the first connection attempts to nodes.
    private static let attemptTime = Duration.seconds(2)
    /// How long the end waits for the node's loop. A closure of the program may block that loop.
    private static let patience = Duration.seconds(1)

    private let driver: GatewayDriver
    private let listeners: [PacketListener]
    private let loops: EventLoopGroup
    /// Waits for the drain, then ends the gateway.
    private let end: Task<Void, Never>
    /// Continues the end, whatever the node's loop does.
    private let hurry: @Sendable () -> Void

    /// The gateway's node.
    public var node: ErlangNode { driver.node }

    /// Where clients connect, in the order of the endpoints.
    public var addresses: [SocketAddress] { listeners.flatMap(\.addresses) }

    /// Starts a gateway: its node, which tries to connect to the others, and then its listeners.
    ///
    /// Nodes that are not there are no error. They are connected to as soon as they are.
    ///
    /// - Parameters:
    ///   - name: The full name of its node, such as `gw1@10.0.0.4`.
    ///   - cookie: The cluster's secret.
    ///   - protocol: What clients speak.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`. One of them carries the
    ///     node.
    ///   - configuration: Where it listens, whom it asks, and limits.
    /// - Throws: ``ErlangGatewayError``; nothing of it runs then.
    public static func start(
        _ name: String, cookie: ErlangCookieSource, protocol: GatewayProtocol, on group: EventLoopGroup? = nil,
        configuration: ErlangGatewayConfiguration
    ) async throws(ErlangGatewayError) -> ErlangGateway {
        let schema = `protocol`.withTerms(ofBytes: configuration.node.limits.terms.byteCount)
        let settings = try configuration.settings(schema)
        if let own = configuration.allNodes.first(where: { $0.description == name }) { throw .ownNode(own) }
        let loops: EventLoopGroup
        do throws(TransportError) { loops = try EventLoopGroup.sharedByServersUnless(group) } catch {
            throw .node(.transport(error))
        }
        let notes = NodeNotes(configuration.node.noteHandler)
        var nodeConfiguration = configuration.nodeConfiguration
        nodeConfiguration.noteHandler = { notes.receive($0) }
        let node: ErlangNode
        do throws(ErlangNodeError) {
            node = try await ErlangNode.start(name, cookie: cookie, on: loops, configuration: nodeConfiguration)
        } catch {
            throw .node(error)
        }
        let driver: GatewayDriver
        do throws(ErlangNodeError) { driver = try await .start(on: node, schema, settings, configuration) } catch {
            await node.stop()
            throw .node(error)
        }
        notes.pass(to: driver)
        do throws(ErlangGatewayError) {
            let refusing = await firstAttempts(driver)
            guard refusing.isEmpty else { throw .cookieRefused(by: refusing, cookie: cookie.description) }
            return await ErlangGateway(driver, try await listen(driver, loops, configuration), loops)
        } catch {
            await driver.stop()
            throw error
        }
    }

    private init(_ driver: GatewayDriver, _ listeners: [PacketListener], _ loops: EventLoopGroup) async {
        self.driver = driver
        self.listeners = listeners
        self.loops = loops
        let (begun, begin) = AsyncStream.makeStream(of: Never.self)
        let (drained, finish) = AsyncStream.makeStream(of: Never.self)
        await driver.loop.run { driver.whenDraining({ begin.finish() }, drained: { finish.finish() }) }
        hurry = {
            begin.finish()
            finish.finish()
        }
        // `waitUntilEnded()` awaits it.
        end = Task {
            for await _ in begun {}
            for listener in listeners { await listener.stopAccepting() }
            driver.loop.execute { driver.listenersClosed() }
            for await _ in drained {}
            for listener in listeners { await listener.shutDown(within: GatewayDriver.flushTime) }
            await wait(atMost: Self.patience) { await driver.stop() }
        }
    }

    // MARK: Starting

    /// Waits for a short time until each node has had one attempt.
    ///
    /// - Returns: The nodes, if all of them have refused our cookie; otherwise none.
    private static func firstAttempts(_ driver: GatewayDriver) async -> [ErlangNodeName] {
        let loop = driver.loop
        // A timeout is no error: the gateway tries the nodes again in any case.
        let refusing = try? await Attempt<[ErlangNodeName]>.run(on: loop, timeout: attemptTime) { attempt in
            driver.whenTried { attempt.finish(.success($0)) }
        }
        return refusing ?? []
    }

    private static func listen(
        _ driver: GatewayDriver, _ loops: EventLoopGroup, _ configuration: ErlangGatewayConfiguration
    ) async throws(ErlangGatewayError) -> [PacketListener] {
        let gate = configuration.gate
        var listeners: [PacketListener] = []
        for endpoint in configuration.endpoints {
            let serving = configuration.serving(at: endpoint)
            do throws(ConnectionError) {
                listeners.append(
                    try await PacketListener.start(
                        at: [endpoint.address], on: loops, layout: driver.schema.layout,
                        packetLimit: driver.schema.packetLimit, configuration: serving,
                        handler: .messages { _, connection in ClientConnection(connection, driver).calls },
                        states: driver.schema.states, keys: driver.schema.keys(with: serving.layers), gate: gate))
            } catch {
                for listener in listeners { await listener.shutDown(within: .zero) }
                throw .listening(at: endpoint.address, error)
            }
        }
        for listener in listeners { await listener.takeOver() }
        return listeners
    }

    // MARK: Operations

    /// Whether the gateway takes clients.
    public var health: Health {
        get async { await driver.loop.run { driver.health } }
    }

    /// Returns when each event loop has turned once. If one is blocked, it does not return.
    public func waitForLoops() async { for loop in loops.loops { await loop.run {} } }

    /// What the gateway does and holds.
    public func metrics() async -> ErlangGatewayMetrics {
        var metrics = await driver.loop.run { driver.metrics }
        for listener in listeners { metrics.add(await listener.counters()) }
        metrics.loops = await loops.counters()
        return metrics
    }

    // MARK: The end

    /// Ends the gateway: owners and clients are told, clients may leave, and after the time the rest is closed.
    ///
    /// It returns when the last connection has ended and the node has stopped. It waits for no backend: one that does
    /// not
    /// answer loses its clients when the time is over. If a closure of the program blocks a loop, it returns some
    /// seconds
    /// after the time. A process of the cluster can end the gateway, too; see ``waitUntilEnded()``.
    ///
    /// - Parameter time: How long clients may stay (default 30 s). A second call can only shorten this time. It tells
    ///   owners and clients nothing.
    public func drain(for time: Duration = .seconds(30)) async {
        // A closure of the program may block the loop with the drain's timer.
        let overdue = Task { await hurryLater(after: time) }
        defer { overdue.cancel() }
        driver.loop.execute { [driver] in driver.drain(for: time) }
        await waitUntilEnded()
    }

    /// Continues the end if the loop has not done so in time, with the time for clients' last output.
    private func hurryLater(after time: Duration) async {
        // A duration of centuries would trap.
        let time = min(time, .seconds(86_400 * 365)) + GatewayDriver.flushTime + Self.patience * 2
        if (try? await Task.sleep(for: time)) != nil { hurry() }
    }

    /// Waits until the gateway has ended: it was drained, by this program or by a process of the cluster.
    public func waitUntilEnded() async { await end.value }
}
