// SPDX-License-Identifier: Apache-2.0

// A header that depends on who sends it. The messages are generated from realm.wire when this target is built.
