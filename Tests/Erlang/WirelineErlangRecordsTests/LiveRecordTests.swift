// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Records
import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Messages of a schema between a node of ours and a real Erlang node.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LiveRecordTests {
    @Test func `Erlang gets messages as records, sends records as messages, and takes fragments`() async throws {
        let program = try ErlangProgram()
        var configuration = ErlangNodeConfiguration()
        configuration.portMapper = .epmd(host: "127.0.0.1", port: program.epmdPort)
        let node = try await ErlangNode.start(
            "g@127.0.0.1", cookie: .text(ErlangProgram.cookie), configuration: configuration)
        let box = try node.mailbox(named: "box")
        let main = ErlangDestination.name("main", at: ErlangNodeName(stringLiteral: ErlangProgram.name))
        let enter = Enter(
            scene: 7, name: "Ann", mood: .angry, rights: [.write], path: [Place(x: .infinity, y: 0.5)], extra: .nothing,
            note: nil)
        try node.send(enter, to: main)
        let text = "{enter,7,<<\"Ann\">>,angry,[write],[{place,infinity,0.5}],nothing,undefined,<<>>}"
        #expect(try program.evaluate("receive Entered -> Entered end") == text)
        #expect(try program.evaluate("{box, 'g@127.0.0.1'} ! \(text), ok") == "ok")
        guard case .message(let term, from: _) = try await box.next() else { throw Unexpected() }
        #expect(Enter(term) == enter)

        // Three fragments, and what comes after them.
        let long = [UInt8](repeating: 7, count: 150_000)
        try await box.send(.binary(long), to: main, timeout: .seconds(100))
        try node.send(Entered(scene: 1, isFull: true), to: main)
        #expect(try program.evaluate("receive Long -> {byte_size(Long), binary:last(Long)} end") == "{150000,7}")
        #expect(try program.evaluate("receive Short -> Short end") == "{entered,1,true,<<>>}")
        await node.stop()
    }

    private struct Unexpected: Error {}
}
