/** What a listing may have, so that a device cannot fill the disk or the memory of the appliance with one. */
export interface Bounds {
  /** Files and folders of one snapshot. */
  nodes: number
  /** Of the listing as it is sent, and unpacked. */
  packedBytes: number
  unpackedBytes: number
  /** Of one line. */
  lineBytes: number
  /** Of the index file, over all snapshots. */
  fileBytes: number
  /** Of the disk, left to the appliance: its database needs room, too. */
  reservedBytes: number
  /** Folders that are looked up anew because the listing jumps about in the tree. */
  jumps: number
}

const mebibyte = 1024 * 1024

export const bounds: Bounds = {
  nodes: 2_000_000,
  packedBytes: 512 * mebibyte,
  unpackedBytes: 3072 * mebibyte,
  lineBytes: mebibyte / 4,
  fileBytes: 4096 * mebibyte,
  reservedBytes: 1024 * mebibyte,
  jumps: 5_000_000,
}

/** Letters, as JavaScript counts them. Windows allows paths of 32,767. */
export const longestPath = 32_768
export const longestName = 1024
/** Folders and the file in them. */
export const deepestPath = 1000

/** Rows of one page. */
export const longestPage = 1000
/** Paths that can be expanded at once. */
export const mostPaths = 10_000
/** Of a text to search for; more would find nothing else. */
export const longestSearch = 100
