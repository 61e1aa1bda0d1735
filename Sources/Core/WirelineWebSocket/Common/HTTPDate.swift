// SPDX-License-Identifier: Apache-2.0

/// An HTTP date (RFC 9110 §5.6.7); the day of the week is ignored.
///
///     Sun, 06 Nov 1994 08:49:37 GMT     the standard form
///     Sunday, 06-Nov-94 08:49:37 GMT    RFC 850
///     Sun Nov  6 08:49:37 1994          C's asctime()
package struct HTTPDate: Equatable, Sendable {
    /// Seconds since 1970, without leap seconds.
    package let secondsSince1970: Int

    /// - Parameters:
    ///   - text: The value of a header.
    ///   - now: The current time, in seconds since 1970. It determines the century of a two-digit year.
    package init?(_ text: String, now: Int) {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
        let place: (day: Int, month: Int, year: Int, time: Int)
        switch words.count {
        case 6 where words[5] == "GMT": place = (1, 2, 3, 4)
        case 5: place = (2, 1, 4, 3)
        default: return nil
        }
        let time = words[place.time].split(separator: ":", omittingEmptySubsequences: false).map(Self.number)
        guard let day = Self.number(words[place.day]), let month = Self.months.firstIndex(of: words[place.month]),
            let year = Self.year(words[place.year], now: now), 1...Self.dayCount(month, year) ~= day, time.count == 3,
            let hour = time[0], let minute = time[1], let second = time[2], hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.days(before: month, year) + day - 1
        secondsSince1970 = ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: Substring) -> Int? {
        1...4 ~= digits.utf8.count && digits.utf8.allSatisfy(\.isDigit) ? Int(digits) : nil
    }

    private static func year(_ digits: Substring, now: Int) -> Int? {
        guard let number = number(digits) else { return nil }
        guard digits.utf8.count == 2 else { return digits.utf8.count == 4 ? number : nil }
        // A date more than 50 years ahead is in the past (RFC 9110 §5.6.7).
        let latest = 1970 + now / 31_556_952 + 50
        return latest - (latest - number) % 100
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func dayCount(_ month: Int, _ year: Int) -> Int {
        month == 1 ? (isLeap(year) ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
    }

    /// Returns the number of days from 1970 to the start of a month, which is counted from 0.
    private static func days(before month: Int, _ year: Int) -> Int {
        let last = year - 1
        let leapDays = last / 4 - last / 100 + last / 400 - 477
        return (year - 1970) * 365 + leapDays + (0..<month).reduce(0) { $0 + dayCount($1, year) }
    }
}
