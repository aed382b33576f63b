import { createWriteStream } from 'node:fs'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { leftoversIn } from '../../lib/leftovers.ts'
import type { Bounds } from './bounds.ts'
import { asIndexError, IndexError } from './index-error.ts'

const folderName = '.incoming'
/** The database of the appliance needs room, too. */
const reservedBytes = 1024 ** 3

/**
 * Listings as devices send them, in files until a thread has read them: a device may take its time, while a transaction
 * should be short.
 */
export class ReceivedListings {
  readonly #folder: string
  readonly #bounds: Bounds
  /** From a process that was killed. */
  readonly removeLeftovers: () => Promise<void>
  #received = 0

  constructor(folder: string, bounds: Bounds) {
    this.#folder = join(folder, folderName)
    this.#bounds = bounds
    this.removeLeftovers = leftoversIn(this.#folder)
  }

  /** Calls `work` with the file, which is gone afterwards. */
  async receive<Result>(listing: Readable, work: (file: string) => Promise<Result>): Promise<Result> {
    const file = join(this.#folder, `${process.pid}-${++this.#received}.ndjson.gz`)
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const { bavail, bsize } = await statfs(this.#folder)
      if (bavail * bsize < reservedBytes) throw new IndexError('disk_full', 'The disk of the appliance is full')
      await pipeline(listing, this.#bounded(), createWriteStream(file, { mode: 0o600 }))
      return await work(file)
    } catch (error) {
      throw asIndexError(error)
    } finally {
      await rm(file, { force: true })
    }
  }

  #bounded(): Transform {
    let bytes = 0
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length
        if (bytes > this.#bounds.packedBytes) done(new IndexError('too_large', 'The listing is too long'))
        else done(null, chunk)
      },
    })
  }
}
