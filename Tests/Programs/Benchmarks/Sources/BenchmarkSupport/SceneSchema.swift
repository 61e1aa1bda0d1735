// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import WirelineLanguage

/// The schema of the load, from which code in other languages is generated.
package enum SceneSchema {
    package static func description() throws -> ProtocolDescription {
        let file = Machine.packageDirectory.appending(path: "../../../Protocols/Scene/scene.wire")
        let source = SourceFile(path: "scene.wire", bytes: [UInt8](try Data(contentsOf: file)))
        guard let scene = ProtocolDescription.check(name: "Scene", files: [source]).description else {
            throw Command.Failure(description: "\(file.path) has errors")
        }
        return scene
    }
}
