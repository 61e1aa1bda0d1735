// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Finds nodes: the address of a host, the port of a node there, and a connection to it.
struct NodeFinder: Sendable {
    let loop: EventLoop
    let configuration: ErlangNodeConfiguration

    /// Returns a stream that is not started.
    func connect(to node: ErlangNodeName) async throws(ErlangNodeError) -> ByteStream {
        let addresses = try await addresses(of: node.host)
        var failure = ErlangNodeError.unreachable(node)
        for address in addresses {
            do throws(ErlangNodeError) {
                let port = try await port(of: node, at: address)
                return try await stream(to: address.withPort(port))
            } catch {
                if error == .cancelled { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func stream(to address: SocketAddress) async throws(ErlangNodeError) -> ByteStream {
        do throws(TransportError) {
            return try await ByteStream.connect(to: address, on: loop, timeout: configuration.connectTimeout)
        } catch {
            throw ErlangNodeError(error)
        }
    }

    private func port(of node: ErlangNodeName, at address: SocketAddress) async throws(ErlangNodeError) -> UInt16 {
        if let port = configuration.nodePorts[node] { return port }
        guard case .epmd(_, let mapperPort) = configuration.portMapper else { throw .unreachable(node) }
        let (answer, _) = try await EPMDConnection.ask(
            .port(name: node.name), at: address.withPort(mapperPort), on: loop)
        guard case .port(let port, _) = answer else { throw .unreachable(node) }
        return port
    }

    /// In the order in which to try them: IPv4 first, because Erlang listens on IPv4 by default.
    func addresses(of host: String) async throws(ErlangNodeError) -> [SocketAddress] {
        if let address = try? SocketAddress(ipAddress: host, port: 0) { return [address] }
        if configuration.resolver is SystemResolver, let network = loop.memoryNetwork {
            return network.addresses(of: host) ?? []
        }
        var found: [SocketAddress] = []
        var failure = TransportError.unknownHost(host, reason: "the name has no address")
        for family in [AddressFamily.ipv4, .ipv6] {
            do throws(TransportError) {
                found += try await configuration.resolver.addresses(of: host, family).addresses
            } catch {
                failure = error
            }
        }
        guard !found.isEmpty else { throw ErlangNodeError(failure) }
        return found
    }
}
