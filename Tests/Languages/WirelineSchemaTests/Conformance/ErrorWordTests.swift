// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// The fixed words of errors, for programs.
struct ErrorWordTests {
    @Test(
        arguments: [
            (.invalidLayer(.cut), "invalid_layer"), (.layerUnavailable(.transform("rsa")), "layer_unavailable"),
            (.inflatedTooLong(limit: 9), "inflated_too_long"), (.trailingBytes(count: 1), "trailing_bytes"),
        ] as [(CodecError.Reason, String)])
    func `an error of a layer has a word of its own`(reason: CodecError.Reason, word: String) {
        #expect(reason.kind == word)
    }
}
