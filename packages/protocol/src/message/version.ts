/** The first four bytes of a hello: whoever does not begin with them does not speak this protocol. */
export const PROTOCOL_MAGIC = "ORTH";

/** The only version that a peer may speak. */
export const PROTOCOL_VERSION = 1;

/** What peers may offer each other: the low 32 bits are optional, the high 32 required by whoever sets them. */
export const FEATURES: { readonly editLists: bigint } = {
  /** Patches may carry lists of single voxels instead of whole chunks. */
  editLists: 1n << 0n,
};

/** All features that this program knows. */
export const KNOWN_FEATURES: bigint = FEATURES.editLists;

/** The bits of which a peer must know every one that is set. */
export const REQUIRED_FEATURES_MASK = 0xffff_ffff_0000_0000n;
