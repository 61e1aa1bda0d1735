// SPDX-License-Identifier: Apache-2.0

// The messages are generated from scene.wire when this target is built; SwiftPM wants one Swift file to begin with.
