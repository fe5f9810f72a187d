/** The most bytes of a frame that a client may send. */
export const CLIENT_FRAME_BYTES_MAX = 65_536;
/** The most bytes of a frame that a server may send: a patch of full size, and room for company. */
export const SERVER_FRAME_BYTES_MAX: number = 1_048_576 + 65_536;
/** The most messages in one frame. */
export const FRAME_MESSAGES_MAX = 1_024;
/** The most bytes of a token. */
export const TOKEN_BYTES_MAX = 4_096;
/** The most bytes of a player's or being's name. */
export const NAME_BYTES_MAX = 64;
/** The most bytes of a sentence that says why a connection ends or an edit is refused. */
export const DETAIL_BYTES_MAX = 1_024;
/** The most boxes of one interest. */
export const INTEREST_BOXES_MAX = 8;
/** The most regions that an interest may cover, and so the most that a client may hold. */
export const INTEREST_REGIONS_MAX = 4_096;
/** The most voxels of one edit. */
export const EDIT_VOXELS_MAX = 4_096;
/** The most edits of one client that wait for their verdicts: no more than a host takes at once. */
export const EDITS_OPEN_MAX = 60;
/** A client begins to number its edits at 1, or at 1 behind any multiple of this. Rule N29. */
export const EDIT_RUN_IDS: number = 2 ** 28;
/** The most bytes of a game's own message. */
export const GAME_BYTES_MAX = 16_384;
/** The most beings that one message lists. */
export const BEINGS_MAX = 4_096;
/** The most bytes of a material catalog in a welcome. */
export const CATALOG_BYTES_MAX = 65_536;
/** The most bytes of a world's name. */
export const WORLD_NAME_BYTES_MAX = 4_096;
/** The most verdicts that one message lists. */
export const VERDICTS_MAX = 1_024;
/** The most regions of the box around a mask. */
export const MASK_BOX_REGIONS_MAX = 65_536;
/** The greatest coordinate of a voxel: 32 bits of chunks, 16 of voxels in one. The least is one further out. */
export const VOXEL_COORDINATE_MAX: number = 2 ** 47 - 1;
