// SPDX-License-Identifier: Apache-2.0

// A target needs a source file of its own; the rest is generated from varying.wire.
