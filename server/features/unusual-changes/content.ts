import { fileTypeFromBuffer } from 'file-type'
import type { FilePair } from '../snapshot-index/index.ts'

/** What the first bytes of a file say of its content. */

/** That is enough to tell. */
export const headBytes = 4096
/** Of fewer bytes chance says as much as their content. */
const leastBytes = 512

/** The first 4 KB of these do not look like noise. What is not named may: its content is packed. */
const unpacked: ReadonlySet<string> = new Set([
  'application/java-vm',
  'application/postscript',
  'application/rtf',
  'application/x-cfb',
  'application/x-elf',
  'application/x-mach-binary',
  'application/x-ms-regedit',
  'application/x-msdownload',
  'application/x-sqlite3',
  'application/xml',
  'text/calendar',
  'text/vcard',
  'text/vtt',
])

/** Hexadecimal. What says that it is a TIFF is often at its end, which the library wants to see. */
const tiffMarks: readonly string[] = ['49492a00', '4d4d002a']

/** Its media type; undefined when it has no head that is known, such as a text. */
async function kindOf(head: Buffer): Promise<string | undefined> {
  const mime = (await fileTypeFromBuffer(head))?.mime
  if (!mime && tiffMarks.includes(head.subarray(0, 4).toString('hex'))) return 'image/tiff'
  return mime === 'application/pgp-encrypted' ? undefined : mime
}

/** A document is a ZIP when the part of it that says more comes later, and one film has other marks than the next. */
const isSameKind = (was: string, is: string, before: Buffer, after: Buffer): boolean =>
  was === is || before.subarray(0, 4).equals(after.subarray(0, 4)) || before.subarray(4, 8).equals(after.subarray(4, 8))

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
export async function isSpoiled(how: FilePair['how'], before: Buffer, after: Buffer): Promise<boolean> {
  if (before.length < leastBytes || after.length < leastBytes || before.equals(after)) return false
  const [was, is] = [await kindOf(before), await kindOf(after)]
  // Noise before says nothing: it may have been encrypted by its owner.
  if (!was && looksLikeNoise(before)) return false
  const isSameFile = how === 'changed' || how === 'alike'
  if (!looksLikeNoise(after)) return was !== undefined && !is && isSameFile && isLost(after)
  if (!is || unpacked.has(is)) return true
  // Packing renames, such as of logs; the same name with the head of another kind is a disguise.
  return isSameFile && !(was && isSameKind(was, is, before, after))
}

/** Neither text nor of a known kind: encrypted, and then written in another alphabet or with a head of its own. */
const isLost = (head: Buffer): boolean => entropyOf(head) >= 5.5
