// SPDX-License-Identifier: Apache-2.0

package import WirelineSchema

package struct FolderContents: Sendable {
    /// The `.wire` files that could be read. Their paths are relative to the folder.
    package var files: [SourceFile]
    /// Why the other files could not be read.
    package var faults: [String]

    package init(files: [SourceFile] = [], faults: [String] = []) {
        self.files = files
        self.faults = faults
    }
}
