// The types of this module are generated from Lobby.wire.
