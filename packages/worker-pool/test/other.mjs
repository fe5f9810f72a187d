/** A module without a generator. */
export const nothing = null;
