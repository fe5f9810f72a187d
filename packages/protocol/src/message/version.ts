/** The first four bytes of a hello. A peer that does not send them does not speak this protocol. */
export const PROTOCOL_MAGIC = "ORTH";

/** The only version that a peer may speak. */
export const PROTOCOL_VERSION = 1;

/** Features that peers may offer. The low 32 bits are optional; a high bit that is set is required. */
export const FEATURES: { readonly editLists: bigint } = {
  /** Patches may carry lists of single voxels instead of whole chunks. */
  editLists: 1n << 0n,
};

/** All features that this program supports. */
export const KNOWN_FEATURES: bigint = FEATURES.editLists;

/** The feature bits that a peer must support if they are set. */
export const REQUIRED_FEATURES_MASK = 0xffff_ffff_0000_0000n;
