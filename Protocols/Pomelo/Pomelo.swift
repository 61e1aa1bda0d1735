// SPDX-License-Identifier: Apache-2.0

// Pomelo's packages (github.com/NetEase/pomelo-protocol). The messages are generated from pomelo.wire when this
// target is built.
