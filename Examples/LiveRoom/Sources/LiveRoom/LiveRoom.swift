// The types of this module are generated from LiveRoom.wire.
