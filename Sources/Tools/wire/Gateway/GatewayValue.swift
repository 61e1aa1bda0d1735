// SPDX-License-Identifier: Apache-2.0

import Wireline

/// Parses the values of options of `wire gateway`. The results are nil without the option.
enum GatewayValue {
    /// Parses a time, which can be 0.
    static func time(_ arguments: Arguments, _ option: Option) throws(CommandError) -> Duration? {
        guard let text = arguments[option] else { return nil }
        if ["0ms", "0s", "0m"].contains(text) { return .zero }
        return try TimeSpan(text, of: option).duration
    }

    static func count(
        _ arguments: Arguments, _ option: Option, in range: ClosedRange<UInt64> = 1...WholeNumber.most
    ) throws(CommandError) -> Int? {
        guard let text = arguments[option] else { return nil }
        return Int(try WholeNumber.value(of: text, in: range, of: option))
    }

    private static let units: KeyValuePairs<String, UInt64> = ["KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]

    /// Parses a number of bytes, with or without a unit: `262144`, `256KiB`.
    static func byteCount(_ arguments: Arguments, _ option: Option) throws(CommandError) -> Int? {
        guard let text = arguments[option] else { return nil }
        let unit = units.first { text.hasSuffix($0.key) }
        let digits = String(text.dropLast(unit?.key.count ?? 0))
        let factor = unit?.value ?? 1
        guard let count = WholeNumber.value(of: digits, in: 1...WholeNumber.most / factor) else {
            throw .usage("\(option.name) is a number of bytes, perhaps with KiB, MiB or GiB after it; `\(text)` is not")
        }
        return Int(count * factor)
    }

    /// Parses a rate: `50/s`, or `50/s:100` for 50 a second and bursts of 100. `none` also gives nil.
    static func rate(_ arguments: Arguments, _ option: Option) throws(CommandError) -> MaximumRate? {
        guard let text = arguments[option], text != "none" else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let range = 1...UInt64(1_000_000_000)
        guard parts[0].hasSuffix("/s"), let count = WholeNumber.value(of: String(parts[0].dropLast(2)), in: range),
            let burst = parts.count == 2 ? WholeNumber.value(of: parts[1], in: range) : count
        else {
            throw .usage(
                "\(option.name) is a number a second, and how many at once, such as 50/s:100; `\(text)` is not")
        }
        return MaximumRate(Int(burst), per: .seconds(Double(burst) / Double(count)))
    }
}
