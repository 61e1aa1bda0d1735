// SPDX-License-Identifier: Apache-2.0

/// A part of the tool's program that is different in pages of protocols with layers.
protocol HTMLProgramPart {
    var hasLayers: Bool { get }
}

extension HTMLProgramPart {
    /// Returns JavaScript that only pages of protocols with layers have, and otherwise what the other pages have in its place.
    func layered(_ text: String, _ otherwise: String = "") -> String { hasLayers ? text : otherwise }
}
