import { statfs } from 'node:fs/promises'
import { IndexError } from './index-error.ts'

/** Between two looks at the disk, for each listing that is on its way. */
const bytesBetween = 4 * 1024 * 1024

/**
 * Looks how much room is left while bytes come, so that many listings at the same time cannot take together what each of
 * them may take alone.
 */
export class DiskRoom {
  readonly #folder: string
  readonly #reservedBytes: number
  #untilNextLook = 0

  constructor(folder: string, reservedBytes: number) {
    this.#folder = folder
    this.#reservedBytes = reservedBytes
  }

  /** @throws IndexError `disk_full` when less than what is reserved would be left */
  async take(bytes: number): Promise<void> {
    this.#untilNextLook -= bytes
    if (this.#untilNextLook > 0) return
    this.#untilNextLook = bytesBetween
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize < this.#reservedBytes) throw new IndexError('disk_full', 'The disk of the appliance is full')
  }
}
