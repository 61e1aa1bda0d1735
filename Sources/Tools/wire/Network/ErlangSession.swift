// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// This command's own Erlang node, and its peer.
struct ErlangSession {
    private let node: ErlangNode
    let peer: ErlangNodeName
    private let timeout: Duration

    init(_ arguments: Arguments) async throws(CommandError) {
        let text = arguments.word(at: 0) ?? ""
        guard let peer = ErlangNodeName(text) else {
            throw .usage("NODE is a node's full name, such as game1@10.0.0.5; `\(text)` is not")
        }
        self.peer = peer
        timeout = try TimeSpan(arguments[ErlangOptions.timeout] ?? "5s", of: ErlangOptions.timeout).duration
        // Erlang identifies nodes by name, so two commands at the same time need different names.
        let name = arguments[ErlangOptions.name] ?? "wire\(getpid())@127.0.0.1"
        var configuration = ErlangNodeConfiguration()
        configuration.isRegistered = false
        configuration.connectTimeout = timeout
        let port = try ErlangOptions.port(arguments, ErlangOptions.epmdPort) ?? ErlangOptions.usualPort
        configuration.portMapper = .epmd(host: "127.0.0.1", port: port)
        if let port = try ErlangOptions.port(arguments, ErlangOptions.nodePort) { configuration.nodePorts[peer] = port }
        configuration.listeningHost = "127.0.0.1"
        let file = arguments[ErlangOptions.cookieFile] ?? "~/.erlang.cookie"
        do throws(ErlangNodeError) {
            node = try await ErlangNode.start(name, cookie: .file(file), configuration: configuration)
        } catch {
            if case .invalidName = error { throw .usage("\(ErlangOptions.name.name) \(error)") }
            throw .failure("\(error)")
        }
        do throws(ErlangNodeError) {
            try await node.connect(to: peer)
        } catch {
            await node.stop()
            if case .unreachable = error { throw .failure("\(error)") }
            throw .failure("\(peer): \(error)")
        }
    }

    /// On failure, this command's node stops.
    func call(_ process: ErlangAtom, _ request: ErlangTerm) async throws(CommandError) -> ErlangTerm {
        do throws(ErlangNodeError) {
            return try await node.call(.name(process, at: peer), request, timeout: timeout)
        } catch {
            await node.stop()
            throw .failure("\(process) at \(peer): \(error)")
        }
    }

    /// On failure, this command's node stops.
    func send(_ process: ErlangAtom, _ message: ErlangTerm) async throws(CommandError) {
        do throws(ErlangNodeError) {
            try node.send(message, to: .name(process, at: peer))
        } catch {
            await node.stop()
            throw .failure("\(process) at \(peer): \(error)")
        }
        // The messages of a node arrive in order, so the answer to a ping shows that the message has arrived.
        _ = try await ping()
    }

    /// Sends the request of `net_adm:ping`. The peer answers `yes`.
    func ping() async throws(CommandError) -> ErlangTerm {
        try await call("net_kernel", .tuple("is_auth", .atom(node.name.atom)))
    }

    func end() async { await node.stop() }
}

enum ErlangOptions {
    static let usualPort: UInt16 = 4_369

    static let node = Parameter("NODE", "the full name of the node, such as game1@10.0.0.5")
    static let process = Parameter("NAME", "the name that the process has registered")
    static let term = Parameter("TERM", "an Erlang term, without a full stop: {get, 7}, <<\"text\">>, #{a => 1}")

    static let cookieFile = Option(
        "--cookie-file", value: "FILE",
        "the file with the cluster's cookie, which others must not be able to read (default ~/.erlang.cookie)")
    static let name = Option(
        "--name", value: "NODE", "our own name (default: wire, the process's number, and @127.0.0.1)")
    static let epmdPort = Option("--epmd-port", value: "PORT", "the port of epmd (default 4369)")
    static let nodePort = Option("--port", value: "PORT", "the port of the node, so that epmd is not asked")
    static let timeout = Option(
        "--timeout", value: "TIME", "the time limit for connecting, and for the answer: 500ms, 5s, 2m (default 5s)")

    static let all = [cookieFile, name, epmdPort, nodePort, timeout]

    /// Returns nil if the option is absent.
    static func port(_ arguments: Arguments, _ option: Option) throws(CommandError) -> UInt16? {
        guard let text = arguments[option] else { return nil }
        guard let port = UInt16(text), port > 0 else {
            throw .usage("\(option.name) is a number from 1 to 65535; `\(text)` is not")
        }
        return port
    }

    static func message(_ arguments: Arguments) throws(CommandError) -> (ErlangAtom, ErlangTerm) {
        let text = arguments.word(at: 2) ?? ""
        do throws(ErlangError) {
            return (ErlangAtom(arguments.word(at: 1) ?? ""), try ErlangTerm(parsing: text))
        } catch {
            throw .usage("TERM `\(text)`: \(error)")
        }
    }
}
