// SPDX-License-Identifier: Apache-2.0

package import WirelineSchema

/// What is on disk in the folder of a protocol.
package struct FolderContents: Sendable {
    /// The `.wire` files that can be read; their paths are their names in the folder.
    package var files: [SourceFile]
    /// Why others cannot be read.
    package var faults: [String]

    package init(files: [SourceFile] = [], faults: [String] = []) {
        self.files = files
        self.faults = faults
    }
}
