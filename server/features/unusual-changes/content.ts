import type { FilePair } from '../snapshot-index/index.ts'

/** What the first bytes of a file say of its content. Pure. */

/** That is enough to tell. */
export const headBytes = 4096
/** Of fewer bytes chance says as much as their content. */
const leastBytes = 512

interface Format {
  at: number
  bytes: string
  /** Its content looks like noise although it can be read. */
  isPacked: boolean
}

const format = (bytes: string, isPacked: boolean, at = 0): Format => ({ at, bytes, isPacked })

/** In hexadecimal. */
const formats: readonly Format[] = [
  format('504b0304', true), // ZIP, and Office documents
  format('25504446', true), // PDF
  format('ffd8ff', true), // JPEG
  format('89504e47', true), // PNG
  format('47494638', true), // GIF
  format('52494646', true), // WebP, AVI, WAV
  format('66747970', true, 4), // MP4, HEIC
  format('1a45dfa3', true), // Matroska
  format('494433', true), // MP3
  format('fffb', true), // MP3
  format('4f676753', true), // Ogg
  format('664c6143', true), // FLAC
  format('1f8b', true), // gzip
  format('425a68', true), // bzip2
  format('fd377a585a00', true), // xz
  format('28b52ffd', true), // Zstandard
  format('377abcaf271c', true), // 7-Zip
  format('526172211a07', true), // RAR
  format('49492a00', true), // TIFF
  format('4d4d002a', true), // TIFF
  format('d0cf11e0a1b11ae1', false), // older Office documents
  format('4d5a', false), // programs of Windows
  format('7f454c46', false), // programs of Linux
  format('53514c69746520666f726d6174203300', false), // SQLite
]

const formatOf = (head: Buffer): Format | undefined =>
  formats.find(({ at, bytes }) => head.subarray(at, at + bytes.length / 2).toString('hex') === bytes)

/** Bits for each byte; 8 when every byte is as likely as any other. */
export function entropyOf(bytes: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
  let entropy = 0
  for (const count of counts) if (count > 0) entropy -= (count / bytes.length) * Math.log2(count / bytes.length)
  return entropy
}

/** How far chance alone stays below 8 bits, and a little more. */
const mostOfNoise = (length: number): number => 255 / (2 * Math.LN2 * length) + 0.06

function looksLikeNoise(head: Buffer): boolean {
  return entropyOf(head) >= 8 - mostOfNoise(head.length)
}

/** Of a file that was readable and no longer is: its kind is gone, or text and tables have become noise. */
export function isSpoiled(how: FilePair['how'], before: Buffer, after: Buffer): boolean {
  if (before.length < leastBytes || after.length < leastBytes || before.equals(after)) return false
  const [was, is] = [formatOf(before), formatOf(after)]
  // Noise before says nothing: it may have been encrypted by its owner.
  if (!was && looksLikeNoise(before)) return false
  const isSameFile = how === 'changed' || how === 'alike'
  if (!looksLikeNoise(after)) return was !== undefined && !is && isSameFile && isLost(after)
  // Packing renames, such as of logs; the same name with the head of another kind is a disguise.
  return is?.isPacked !== true || (isSameFile && is !== was)
}

/** Neither text nor of a known kind: encrypted, and then written in another alphabet or with a head of its own. */
const isLost = (head: Buffer): boolean => entropyOf(head) >= 5.5
