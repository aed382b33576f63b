import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { leftoversIn } from '../../lib/leftovers.ts'
import type { Bounds } from './bounds.ts'
import { DiskRoom } from './disk-room.ts'
import { asIndexError, IndexError } from './index-error.ts'

const folderName = '.incoming'

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
      await pipeline(listing, this.#bounded(), createWriteStream(file, { mode: 0o600 }))
      return await work(file)
    } catch (error) {
      throw asIndexError(error)
    } finally {
      await rm(file, { force: true })
    }
  }

  #bounded(): Transform {
    const room = new DiskRoom(this.#folder, this.#bounds.reservedBytes)
    let bytes = 0
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length
        if (bytes > this.#bounds.packedBytes) done(new IndexError('too_large', 'The listing is too long'))
        else room.take(chunk.length).then(() => done(null, chunk), done)
      },
    })
  }
}
