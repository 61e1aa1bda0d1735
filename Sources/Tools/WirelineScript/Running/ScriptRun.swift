// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// A script in use: the state that all its connections share.
final class ScriptRun: Sendable {
    let script: Script
    let translator: PacketTranslator
    /// The source, for error positions.
    let source: SourceText
    /// The seed of random numbers.
    let seed: UInt64
    let note: @Sendable (String) -> Void
    /// The timers of all connections.
    let timers = TimerBudget()
    private let shared: Mutex<[JSONValue]>
    /// The possible rules for each message from the client, by its ID, in the order of the script.
    private let rulesByID: [UInt64: [Int]]
    private let rulesOfUnknown: [Int]
    let rulesOfConnect: [Int]

    init(
        _ script: Script, _ source: SourceText, _ translator: PacketTranslator,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.script = script
        self.source = source
        self.translator = translator
        self.note = note
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

    /// Returns the rules for a message with this ID.
    func rules(id: UInt64) -> [Int] { rulesByID[id] ?? rulesOfUnknown }

    /// The current values of the shared variables.
    var sharedValues: [JSONValue] { shared.withLock { $0 } }

    /// Changes a shared variable atomically.
    func changeShared(
        _ index: Int, _ value: ([JSONValue]) throws(ScriptFailure) -> JSONValue
    ) throws(ScriptFailure) {
        let result = shared.withLock { values in
            Result { () throws(ScriptFailure) in values[index] = try value(values) }
        }
        try result.get()
    }

    /// Returns random numbers for a connection, which the seed repeats.
    func random(ofConnection number: Int) -> SplitMix64 {
        SplitMix64(seed: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
    }

    /// Returns the failure with its position in the source.
    func placed(_ failure: ScriptFailure) -> ScriptFailure {
        let location = source.location(at: failure.span.start)
        var placed = failure
        placed.place = "\(location.file):\(location.line):\(location.column)"
        return placed
    }
}

extension Script.Event {
    /// - Parameter message: The index of the received message; nil for an unknown one.
    fileprivate func isMet(by message: Int?) -> Bool {
        switch self {
        case .connect: false
        case .any: true
        case .unknown: message == nil
        case .messages(let messages): message.map(messages.contains) ?? false
        }
    }
}
