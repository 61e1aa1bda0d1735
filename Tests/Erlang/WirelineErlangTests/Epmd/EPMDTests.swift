// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang

/// Requests to epmd and its answers, with bytes from a real one.
struct EPMDTests {
    @Test func `requests have the bytes that epmd expects`() {
        #expect(
            EPMDExchange(.register(name: "g", port: 0x936F)).output == bytes("000e78936f480000060005000167" + "0000"))
        #expect(EPMDExchange(.port(name: "a")).output == bytes("00027a61"))
        #expect(EPMDExchange(.names).output == bytes("00016e"))
    }

    static let answers: [(EPMDRequest, String, EPMDAnswer)] = [
        (.register(name: "g", port: 1), "76006b03a698", .registered(creation: 0x6B03_A698)),
        (.register(name: "g", port: 1), "760100000000", .nameTaken),
        (.register(name: "g", port: 1), "79000003", .registered(creation: 3)),
        (.port(name: "a"), "7700a49d4d0000060005000161" + "0000", .port(0xA49D, .visible)),
        (.port(name: "a"), "7700a49d480000060005000161" + "0002ffff", .port(0xA49D, .hidden)),
        (.port(name: "a"), "7701", .unknownName),
    ]

    @Test(arguments: answers)
    func `an answer is read however it is cut`(request: EPMDRequest, hex: String, answer: EPMDAnswer) throws {
        let whole = bytes(hex)
        for cut in whole.indices {
            var exchange = EPMDExchange(request)
            let (start, rest) = (Array(whole[..<cut]), Array(whole[cut...]))
            try #require(try exchange.receive(start.span.bytes) == nil)
            try #require(try exchange.receive(rest.span.bytes) == answer)
            try #require(try exchange.endOfInput() == nil)
        }
    }

    @Test func `the list of names ends with the connection`() throws {
        let text = "name game1 at port 37743\nname tool at port 1\n"
        var exchange = EPMDExchange(.names)
        for byte in [0, 0, 0x11, 0x11] + Array(text.utf8) {
            #expect(try exchange.receive([byte].span.bytes) == nil)
        }
        let answer = try exchange.endOfInput()
        guard case .names(let names)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(names.map(\.name) == ["game1", "tool"])
        #expect(names.map(\.port) == [37_743, 1])
    }

    static let faults: [(EPMDRequest, String, EPMDFault)] = [
        (.register(name: "g", port: 1), "7700", .tag(0x77)), (.port(name: "a"), "76", .tag(0x76)),
        (.register(name: "g", port: 1), "76006b03a69800", .trailingBytes), (.port(name: "a"), "770100", .trailingBytes),
        (.port(name: "a"), "7700a49d4d0000060005000161" + "000000", .trailingBytes),
        (.port(name: "a"), "770000004d0000060005000161" + "0000", .port),
    ]

    @Test(arguments: faults)
    func `another answer is refused`(request: EPMDRequest, hex: String, fault: EPMDFault) {
        var exchange = EPMDExchange(request)
        let answer = bytes(hex)
        for _ in 0..<2 {
            #expect(throws: ErlangError.invalidAnswer(fault)) { try exchange.receive(answer.span.bytes) }
        }
    }

    @Test(arguments: [EPMDRequest.port(name: "a"), .register(name: "g", port: 1), .names])
    func `an end before the answer is one`(request: EPMDRequest) {
        var exchange = EPMDExchange(request)
        #expect(throws: ErlangError.invalidAnswer(.truncated)) { try exchange.endOfInput() }
    }

    @Test func `a line that is no name, and a list without end, are refused`() throws {
        var exchange = EPMDExchange(.names)
        let line = [0, 0, 0, 0] + Array("name a at port 99999\n".utf8)
        _ = try exchange.receive(line.span.bytes)
        #expect(throws: ErlangError.invalidAnswer(.line)) { try exchange.endOfInput() }
        var endless = EPMDExchange(.names)
        let much = [UInt8](repeating: 0, count: EPMDExchange.answerLimit)
        #expect(try endless.receive(much.span.bytes) == nil)
        #expect(throws: ErlangError.invalidAnswer(.tooLong(limit: EPMDExchange.answerLimit))) {
            try endless.receive([0].span.bytes)
        }
    }
}
