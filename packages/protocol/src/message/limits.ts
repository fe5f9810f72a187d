/** Maximum bytes of a client frame. */
export const CLIENT_FRAME_BYTES_MAX = 65_536;
/** Maximum bytes of a server frame: one patch of full size, and room for other messages. */
export const SERVER_FRAME_BYTES_MAX: number = 1_048_576 + 65_536;
/** Maximum number of messages in a frame. */
export const FRAME_MESSAGES_MAX = 1_024;
/** Maximum bytes of a token. */
export const TOKEN_BYTES_MAX = 4_096;
/** Maximum bytes of the name of a player or entity. */
export const NAME_BYTES_MAX = 64;
/** Maximum bytes of the text that explains why a connection ends or an edit is refused. */
export const DETAIL_BYTES_MAX = 1_024;
/** Maximum number of boxes in an interest. */
export const INTEREST_BOXES_MAX = 8;
/** Maximum number of regions that an interest may cover, and therefore that a client may hold. */
export const INTEREST_REGIONS_MAX = 4_096;
/** Maximum number of voxels in an edit. */
export const EDIT_VOXELS_MAX = 4_096;
/** Maximum number of a client's edits that wait for results; no more than a server accepts at once. */
export const EDITS_OPEN_MAX = 60;
/**
 * A client without a history numbers its edits from 1, or from any multiple of this plus 1: a run. The first number
 * tells the server whether the client has edited before. Rule N29.
 */
export const EDIT_RUN_IDS: number = 2 ** 28;
/** Maximum bytes of a game message. */
export const GAME_BYTES_MAX = 16_384;
/** Maximum number of entities in a message. */
export const ENTITIES_MAX = 4_096;
/** Maximum bytes of the text of an operation or a selection. */
export const OPERATION_BYTES_MAX = 16_384;
/** Maximum number of a client's requests about operations that wait for answers. */
export const OPERATIONS_OPEN_MAX = 8;
/** Maximum number of turns and mirrorings of a clipboard, one after the other. */
export const TURN_STEPS_MAX = 64;
/** Maximum number of operations in a list of those that can be undone or done again. */
export const OPERATIONS_LISTED_MAX = 256;
/** Maximum bytes of the text of an operation in such a list. */
export const OPERATION_LABEL_BYTES_MAX = 1_024;
/** Maximum bytes of a block catalog, and of a change of one. A world with more cannot be shared. */
export const CATALOG_BYTES_MAX = 262_144;
/** Maximum number of generators in a hello. */
export const HELLO_GENERATORS_MAX = 256;
/** Maximum number of an entity's tags that clients are sent. */
export const ENTITY_TAGS_MAX = 64;
/** Maximum bytes of such a tag. */
export const ENTITY_TAG_BYTES_MAX = 256;
/** Maximum bytes of an entity's data that clients are sent. */
export const ENTITY_DATA_BYTES_MAX = 32_768;
/** Maximum bytes of a world's name. */
export const WORLD_NAME_BYTES_MAX = 4_096;
/** Maximum number of results in a message. */
export const EDIT_RESULTS_MAX = 1_024;
/** Maximum number of regions in the box around a mask. */
export const MASK_BOX_REGIONS_MAX = 65_536;
/** The highest limit that a welcome can name; a server with a higher one names this. */
export const LIMIT_MAX: number = 2 ** 32;
/** Highest voxel coordinate: 32 bits of chunks, 16 of voxels in a chunk. The lowest is `-MAX - 1`. */
export const VOXEL_COORDINATE_MAX: number = 2 ** 47 - 1;

/** Voxels a second on an axis; nothing that a player sees is faster. Rule N57. */
export const ENTITY_SPEED_MAX = 65_536;

/** The first four bytes of a hello. A peer that does not send them does not speak this protocol. */
export const PROTOCOL_MAGIC = "ORTH";

/** The only version that a peer may speak. */
export const PROTOCOL_VERSION = 3;

/** Features that peers may offer. The low 32 bits are optional; a high bit that is set is required. */
export const FEATURES: {
  readonly editLists: bigint;
  readonly resends: bigint;
  readonly redefinedBlocks: bigint;
  readonly sampledGenerators: bigint;
  readonly blockShapes: bigint;
  readonly operations: bigint;
} = {
  /** Patches may carry lists of single voxels instead of whole chunks. */
  editLists: 1n << 0n,
  /** Only in a hello: the client has sent edits from its open edit id on before. Rule N29. */
  resends: 1n << 1n,
  /** Catalogs of blocks may have opacities, and types in them may be redefined. Rule N59. */
  redefinedBlocks: 1n << 2n,
  /** Only in a hello: the client has offered the hashes of samples of its generators. Rule N60. */
  sampledGenerators: 1n << 3n,
  /** Catalogs of blocks may have shapes. Rule N61. */
  blockShapes: 1n << 4n,
  /** The client may ask for operations. Rule N62. */
  operations: 1n << 5n,
};

/** All features that peers agree on. */
export const KNOWN_FEATURES: bigint =
  FEATURES.editLists | FEATURES.redefinedBlocks | FEATURES.blockShapes | FEATURES.operations;

/** The feature bits that a peer must support if they are set. */
export const REQUIRED_FEATURES_MASK = 0xffff_ffff_0000_0000n;

/** The time in a clock message starts again at 0 after this. */
export const CLOCK_WRAP_MS = 65_536;
