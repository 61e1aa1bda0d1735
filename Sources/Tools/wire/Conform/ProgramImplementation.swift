// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A program that receives requests as lines of JSON (``HarnessLine``).
///
/// If it crashes, exceeds the timeout or sends an invalid line, it is ended, and started again for the next request.
final class ProgramImplementation: ConformingImplementation {
    private let command: String
    private let protocolName: String
    private let description: ProtocolDescription
    private let timeout: TimeSpan
    private let maximumDepth: Int
    private let lineLimit: Int
    private let interruption: Interruption
    private var program: ChildProgram?
    private var hasReplied = false
    private var number = 0
    /// The number of failures in a row.
    private var lossCount = 0

    /// After this number of failures in a row, the program is not started again. There can be thousands of checks.
    private static let mostLosses = 10
    /// The first reply may take this many times the timeout, because some programs are compiled first.
    private static let startFactor = 10

    init(
        _ command: String, _ translator: PacketTranslator, protocol name: String, timeout: TimeSpan,
        _ interruption: Interruption
    ) {
        self.command = command
        self.timeout = timeout
        self.interruption = interruption
        protocolName = name
        description = translator.description
        maximumDepth = translator.maximumJSONDepth + 2
        // The JSON of a packet can be many times larger than the packet. The limit stops a program that prints
        // endlessly.
        lineLimit = 1 << 20 + 32 * min(translator.description.options.maximumPacketByteCount, 1 << 24)
    }

    func reply(to request: ConformanceRequest) -> ConformanceReply {
        guard lossCount < Self.mostLosses else {
            return .notAsked("not asked: the program was lost \(Self.mostLosses) times in a row")
        }
        number += 1
        let line = HarnessLine.line(of: request, id: number, protocol: protocolName, description)
        let received: [UInt8]
        do throws(ChildProgram.Loss) {
            received = try running().exchange(
                Array(line.description.utf8), within: timeout.duration * (hasReplied ? 1 : Self.startFactor),
                limit: lineLimit, interruption)
        } catch {
            return .lost(handleLoss(error))
        }
        return parseReply(received, request)
    }

    func finish() {
        program?.finish(within: timeout.duration, interruption)
        program = nil
    }

    private func running() throws(ChildProgram.Loss) -> ChildProgram {
        if let program { return program }
        do throws(SystemError) {
            let program = try ChildProgram(command)
            self.program = program
            hasReplied = false
            return program
        } catch {
            throw .failed(error)
        }
    }

    private func parseReply(_ line: [UInt8], _ request: ConformanceRequest) -> ConformanceReply {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: line, maximumDepth: maximumDepth)
        } catch {
            return .lost(drop("what it replied is no line of JSON: \(error): \(Self.text(line))"))
        }
        // A reply with another ID is invalid, and so may be those after it.
        guard json["id"] == .integer(Int128(number)) else {
            return .lost(drop("its reply does not have `\"id\":\(number)`: \(Self.text(line))"))
        }
        hasReplied = true
        lossCount = 0
        do throws(HarnessLine.Fault) {
            return try HarnessLine.reply(json, to: request)
        } catch {
            return .lost("its reply cannot be understood: \(error.text): \(Self.text(line))")
        }
    }

    private func handleLoss(_ loss: ChildProgram.Loss) -> String {
        switch loss {
        case .ended(let words): drop("the program \(words) before it replied")
        case .closedOutput: drop("the program has closed its output and goes on")
        case .silent:
            drop(
                hasReplied
                    ? "no reply within \(timeout)" : "no first reply within \(Self.startFactor) times \(timeout)")
        case .tooLong: drop("a reply of more than \(lineLimit) bytes")
        case .interrupted: drop("interrupted")
        case .failed(let error): drop("the program cannot be spoken to: \(error.reason)")
        }
    }

    /// Ends the program, and appends its standard error to the text.
    private func drop(_ text: String) -> String {
        lossCount += 1
        let errors = program?.lastErrors ?? []
        program?.kill()
        program = nil
        let words = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(3)
        return words.isEmpty ? text : text + "; it said: " + words.joined(separator: " / ").shortened
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.prefix(1024), as: UTF8.self).shortened
    }
}
