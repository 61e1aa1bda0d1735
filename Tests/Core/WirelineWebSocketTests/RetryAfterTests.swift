// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WirelineWebSocket

/// How servers say when to retry, and how they write dates.
struct RetryAfterTests {
    /// The moment of RFC 9110's example.
    private static let example = 784_111_777

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Thu, 01 Jan 2026 00:00:00 GMT", 1_767_225_600),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400), ("Friday, 01-Jan-44 00:00:00 GMT", 2_335_219_200),
            ("Saturday, 01-Jan-45 00:00:00 GMT", -788_918_400),
        ])
    func `a date is read in each of its three forms`(text: String, seconds: Int) {
        #expect(HTTPDate(text, now: Self.example)?.secondsSince1970 == seconds)
    }

    @Test(
        arguments: [
            "", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 94 8:49 GMT", "Tue, 29 Feb 1994 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 1994 08::37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        ])
    func `text that is not a date is not read as one`(text: String) {
        #expect(HTTPDate(text, now: Self.example) == nil)
    }

    @Test(
        arguments: [
            (["Retry-After": "0"], .zero), (["retry-after": "120"], .seconds(120)),
            (["Retry-After": "99999999999999999999"], .seconds(Int.max)),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"], .seconds(10)),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:07 GMT"], .zero),
            // The server's clock may differ.
            (
                ["Retry-After": "Mon, 07 Nov 2050 00:00:05 GMT", "Date": "Mon, 07 Nov 2050 00:00:00 GMT"],
                .seconds(5)
            ),
            (["Retry-After": "-1"], nil), (["Retry-After": "1.5"], nil), (["Retry-After": ""], nil),
            (["Retry-After": "soon"], nil), ([:], nil),
        ] as [(WebSocketHeaders, Duration?)])
    func `the retry delay is given as a number of seconds or as a date`(headers: WebSocketHeaders, delay: Duration?) {
        let response = WebSocketResponse(status: 503, reason: "", headers: headers, body: [])
        #expect(response.retryDelay(at: Self.example) == delay)
    }
}
