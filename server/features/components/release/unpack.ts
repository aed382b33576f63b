import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import Bunzip from 'seek-bzip'
import { openPromise } from 'yauzl'

export interface Unpacked {
  sha256: string
  bytes: number
}

const pieceBytes = 1024 * 1024

/** Unpacks the one file in `from`, in a thread that may wait for the disk. @throws Error when it is none, or larger */
export async function unpack(from: string, packing: 'bz2' | 'zip', to: string, maxBytes: number): Promise<Unpacked> {
  const handle = openSync(to, 'wx', 0o755)
  const hash = createHash('sha256')
  let bytes = 0
  const take = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('The content is too large')
    for (let written = 0; written < chunk.length; ) written += writeSync(handle, chunk, written)
    hash.update(chunk)
  }
  try {
    await (packing === 'zip' ? unzip(from, take) : bunzip(from, take))
    if (bytes === 0) throw new Error('There is nothing in it')
    fsyncSync(handle)
    return { sha256: hash.digest('hex'), bytes }
  } finally {
    closeSync(handle)
  }
}

type Take = (chunk: Uint8Array) => void

/** Byte by byte, so that what grows too large ends immediately, however little it took to say so. */
function bunzip(from: string, take: Take): void {
  const piece = Buffer.allocUnsafe(pieceBytes)
  let length = 0
  const writeByte = (byte: number) => {
    piece[length++] = byte
    if (length < pieceBytes) return
    take(piece)
    length = 0
  }
  Bunzip.decode(readFileSync(from), { writeByte })
  take(piece.subarray(0, length))
}

async function unzip(from: string, take: Take): Promise<void> {
  const zip = await openPromise(from)
  if (zip.entryCount !== 1) {
    zip.close()
    throw new Error('There is more than one file in it')
  }
  for await (const entry of zip.eachEntry())
    for await (const chunk of await zip.openReadStreamPromise(entry)) take(chunk)
}
