// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

// The commands of `wire erlang` are for an operator who examines an Erlang cluster.
extension Command {
    static let erlangNames = Command(
        name: "erlang names",
        summary: "list the Erlang nodes of a host, as its epmd knows them",
        parameters: [Parameter("HOST", "the host (default: 127.0.0.1)", isOptional: true)],
        options: [ErlangOptions.epmdPort],
        example: "wire erlang names 127.0.0.1",
        run: { arguments, console throws(CommandError) in
            let host = arguments.word(at: 0) ?? "127.0.0.1"
            let port = try ErlangOptions.port(arguments, ErlangOptions.epmdPort) ?? ErlangOptions.usualPort
            let nodes: [String: UInt16]
            do throws(ErlangNodeError) {
                nodes = try await ErlangNode.registeredNodes(on: host, port: port)
            } catch {
                throw .failure("epmd at \(host):\(port): \(error)")
            }
            for (name, port) in nodes.sorted(by: { $0.key < $1.key }) { try console.print("\(name) at port \(port)") }
        })

    static let erlangPing = Command(
        name: "erlang ping",
        summary: "connect to an Erlang node with the cluster's cookie, and print how long its answer takes",
        parameters: [ErlangOptions.node],
        options: ErlangOptions.all,
        example: "wire erlang ping game1@127.0.0.1",
        run: { arguments, console throws(CommandError) in
            let session = try await ErlangSession(arguments)
            let clock = ContinuousClock()
            let start = clock.now
            let answer = try await session.ping()
            let time = start.duration(to: clock.now) / .milliseconds(1)
            await session.end()
            guard answer == "yes" else { throw .failure("\(session.peer) answered \(answer)") }
            try console.print("pong from \(session.peer) in \(Int(time.rounded(.up))) ms")
        })

    static let erlangCall = Command(
        name: "erlang call",
        summary: "call a registered process of an Erlang node, as gen_server:call does, and print the reply",
        parameters: [ErlangOptions.node, ErlangOptions.process, ErlangOptions.term],
        options: ErlangOptions.all,
        example: "wire erlang call game1@127.0.0.1 scene '{get, 7}'",
        run: { arguments, console throws(CommandError) in
            let (process, request) = try ErlangOptions.message(arguments)
            let session = try await ErlangSession(arguments)
            let reply = try await session.call(process, request)
            await session.end()
            try console.print(reply.description)
        })

    static let erlangSend = Command(
        name: "erlang send",
        summary: "send a message to a registered process of an Erlang node, and do not wait for an answer",
        parameters: [ErlangOptions.node, ErlangOptions.process, ErlangOptions.term],
        options: ErlangOptions.all,
        example: "wire erlang send game1@127.0.0.1 scene 'tick'",
        run: { arguments, _ throws(CommandError) in
            let (process, message) = try ErlangOptions.message(arguments)
            let session = try await ErlangSession(arguments)
            try await session.send(process, message)
            await session.end()
        })
}
