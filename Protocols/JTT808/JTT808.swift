// SPDX-License-Identifier: Apache-2.0

// JT/T 808-2013 and JT/T 808-2019, trackers of vehicles in China. The messages are generated from jtt808.wire when this
// target is built.
