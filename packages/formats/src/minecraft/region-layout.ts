/** A region file is divided into sectors. */
export const SECTOR_BYTES = 4_096;

/** Bytes before the first column: where columns lie, and when they were saved. */
export const REGION_HEADER_BYTES: number = 2 * SECTOR_BYTES;

/** Columns along an edge of a region. */
export const REGION_COLUMNS = 32;

/** Columns of a region. */
export const REGION_SLOTS: number = REGION_COLUMNS ** 2;
