// SPDX-License-Identifier: Apache-2.0

// A game whose server sends a key. The messages are generated from keyedgame.wire when this target is built.
