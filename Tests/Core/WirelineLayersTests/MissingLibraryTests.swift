// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineLibraries

// The libraries of the system are there; only the module itself can be told of one that is not.
@testable import WirelineLayers

struct MissingLibraryTests {
    @Test(arguments: [
        (LibraryProduct.zlib, "zlib1g"), (.brotli, "libbrotli1"), (.libcrypto, "libssl3"),
    ])
    func `without its library, a layer is not available, and the error says what to install`(
        product: LibraryProduct, package: String
    ) {
        let failure = LibraryFailure(.notFound, library: "lib.so", of: product)
        let error = CodecError(failure).prefixed(by: "packet.layer")
        #expect(error.reason == .layerUnavailable(.library(failure.reason(for: "this layer"))))
        #expect(error.description.hasPrefix("packet.layer: the layer is not available: lib.so was not found: install "))
        #expect(error.description.contains("Debian and Ubuntu: \(package), "))
    }
}
