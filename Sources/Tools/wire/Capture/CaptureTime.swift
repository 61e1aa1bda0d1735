// SPDX-License-Identifier: Apache-2.0

/// The date and time of a frame, in UTC.
struct CaptureTime: Equatable, CustomStringConvertible {
    /// The seconds since 1970. The year is below 10000.
    let seconds: UInt64
    /// Less than 1,000,000,000.
    let nanoseconds: UInt32
    /// Whether the capture has nanoseconds. Otherwise it has microseconds.
    let isFine: Bool

    private static let secondsToYear10000: UInt64 = 253_402_300_800

    /// nil if the year is above 9999.
    init?(seconds: UInt64, nanoseconds: UInt32, isFine: Bool) {
        guard seconds < Self.secondsToYear10000, nanoseconds < 1_000_000_000 else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.isFine = isFine
    }

    /// RFC 3339: `2026-11-24T09:00:00.000000Z`.
    var description: String {
        let (year, month, day) = date
        let time = seconds % 86_400
        let fraction = isFine ? padded(UInt64(nanoseconds), 9) : padded(UInt64(nanoseconds) / 1_000, 6)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)).\(fraction)Z"
    }

    /// The date in the Gregorian calendar. The computation counts years from March, so that a leap day is the last day.
    private var date: (year: UInt64, month: UInt64, day: UInt64) {
        // The number of days since 0000-03-01. 400 years have 146,097 days.
        let days = seconds / 86_400 + 719_468
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
    }

    private func padded(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
