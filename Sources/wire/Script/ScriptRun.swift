// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// A script that is being served: what all its connections have in common.
final class ScriptRun: Sendable {
    let script: Script
    let translator: PacketTranslator
    /// The file, for failures.
    let source: SourceText
    /// What random numbers come from.
    let seed: UInt64
    let log: ConnectionLog
    private let shared: Mutex<[JSONValue]>
    /// The rules that can be meant by each message that a client sends, by its ID, in the order of the script.
    private let rulesByID: [UInt64: [Int]]
    private let rulesOfUnknown: [Int]
    let rulesOfConnect: [Int]

    init(_ script: Script, _ source: SourceText, _ translator: PacketTranslator, _ log: ConnectionLog) {
        self.script = script
        self.source = source
        self.translator = translator
        self.log = log
        var random = SystemRandomness()
        seed = script.seed ?? random.next()
        shared = Mutex(script.sharedVariables.map(\.initialValue))
        var rulesByID: [UInt64: [Int]] = [:]
        for (index, message) in translator.description.messages.enumerated() where message.senders.contains(.client) {
            rulesByID[message.id] = script.rules.indices.filter { script.rules[$0].event.isMet(by: index) }
        }
        self.rulesByID = rulesByID
        rulesOfUnknown = script.rules.indices.filter { script.rules[$0].event.isMet(by: nil) }
        rulesOfConnect = script.rules.indices.filter { script.rules[$0].event == .connect }
    }

    /// The rules for a message with this ID.
    func rules(id: UInt64) -> [Int] { rulesByID[id] ?? rulesOfUnknown }

    /// What the shared variables are now.
    var sharedValues: [JSONValue] { shared.withLock { $0 } }

    /// Gives a shared variable another value, with nobody else changing any meanwhile.
    func changeShared(
        _ index: Int, _ value: ([JSONValue]) throws(ScriptFailure) -> JSONValue
    ) throws(ScriptFailure) {
        let result = shared.withLock { values in
            Result { () throws(ScriptFailure) in values[index] = try value(values) }
        }
        try result.get()
    }

    /// The failure with its place, for people.
    func placed(_ failure: ScriptFailure) -> ScriptFailure {
        let location = source.location(at: failure.span.start)
        var placed = failure
        placed.place = "\(location.file):\(location.line):\(location.column)"
        return placed
    }
}

extension Script.Event {
    /// - Parameter message: The index of the message that has come; nil for an unknown one.
    fileprivate func isMet(by message: Int?) -> Bool {
        switch self {
        case .connect: false
        case .any: true
        case .unknown: message == nil
        case .messages(let messages): message.map(messages.contains) ?? false
        }
    }
}

/// Numbers that are the same each time from the same seed (SplitMix64).
struct ScriptRandomness: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64, connection: Int) {
        state = seed &+ UInt64(connection) &* 0xD1B5_4A32_D192_ED03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
