// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// The state that all connections of a script share.
final class ScriptRun: Sendable {
    let script: Script
    let translator: PacketTranslator
    /// The source, for the positions of errors.
    let source: SourceText
    let seed: UInt64
    let note: @Sendable (String) -> Void
    let timers = TimerBudget()
    private let shared: Mutex<[JSONValue]>
    /// The indices of the rules for each message ID, in the order of the script.
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

    func rules(id: UInt64) -> [Int] { rulesByID[id] ?? rulesOfUnknown }

    var sharedValues: [JSONValue] { shared.withLock { $0 } }

    func changeShared(
        _ index: Int, _ value: ([JSONValue]) throws(ScriptFailure) -> JSONValue
    ) throws(ScriptFailure) {
        let result = shared.withLock { values in
            Result { () throws(ScriptFailure) in values[index] = try value(values) }
        }
        try result.get()
    }

    /// Returns the generator for a connection. The same seed and number give the same sequence.
    func random(ofConnection number: Int) -> SplitMix64 {
        SplitMix64(seed: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
    }

    /// Returns the failure with its position as text.
    func placed(_ failure: ScriptFailure) -> ScriptFailure {
        let location = source.location(at: failure.span.start)
        var placed = failure
        placed.place = "\(location.file):\(location.line):\(location.column)"
        return placed
    }
}

extension Script.Event {
    /// - Parameter message: The index of the received message; nil if its ID is unknown.
    fileprivate func isMet(by message: Int?) -> Bool {
        switch self {
        case .connect: false
        case .any: true
        case .unknown: message == nil
        case .messages(let messages): message.map(messages.contains) ?? false
        }
    }
}
