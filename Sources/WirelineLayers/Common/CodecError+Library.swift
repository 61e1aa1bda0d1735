// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

extension CodecError {
    /// Makes the error of a layer whose library cannot be used.
    init(_ failure: LibraryFailure) {
        self.init(.layerUnavailable(.library(failure.reason(for: "this layer"))))
    }
}
