// SPDX-License-Identifier: Apache-2.0

// JT/T 809-2011, between platforms of vehicles in China. The messages are generated from jtt809.wire when this target is
// built.
