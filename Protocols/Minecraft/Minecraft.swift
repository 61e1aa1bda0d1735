// SPDX-License-Identifier: Apache-2.0

// Packets of Minecraft's shape. The messages are generated from minecraft.wire when this target is built.
