// SPDX-License-Identifier: Apache-2.0

// GPS trackers of the GT06 family (Concox, "GT06 GPS Tracker Communication Protocol"). The messages are generated from
// gt06.wire when this target is built.
