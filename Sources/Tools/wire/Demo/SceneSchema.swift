// SPDX-License-Identifier: Apache-2.0

/// A copy of `Protocols/Scene/scene.wire`, so that the demo runs anywhere; a test compares the two.
let sceneSchema = #"""
    // ========== 切换场景 ==========
    // The client asks to go into a scene.
    message Cs_20001 {
        uint8  SceneId = 1;  // the scene to go into
        uint32 Line    = 2;  // the copy of the scene; 0 for the public one
        String message = 3;  // 附言
    }

    // The answer to Cs_20001, whether the client went in or not.
    message Sc_20001 {
        // 0 failed, 1 went in, 2 this level is closed, 3 already there, 4 no such scene, 5 no boss runs left today,
        // 6 too tired, 7 requirements not met, 8 no such kind of scene, 10 not signed up for the boss, 11 the boss is gone,
        // 12 no runs left, 13 too soon, 14 not allowed into this boss room, 15 not ready for the boss room
        uint8  Res           = 1;
        uint32 SceneId       = 2;  // the scene that the client is in now
        uint8  Pos           = 3;  // where in it
        uint8  Status        = 4;  // of the player: 0 normal, 10 captain
        uint8  Type          = 5;  // a mark for the client's own use
        uint32 DefaultCombat = 6;  // the strength recommended
        String message       = 7;  // 附言
    }

    """#
