// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

extension CodecError {
    init(_ failure: LibraryFailure) {
        self.init(.layerUnavailable(.library(failure.reason(for: "this layer"))))
    }
}
