import type { SnapshotNode } from './snapshot-nodes.ts'

const megabyte = 1024 ** 2
const gigabyte = 1024 ** 3

/** Of a snapshot with more. */
const maxFiles = 200
/** Of one file of them; a larger one takes too long to read. */
const maxFileBytes = 64 * megabyte
/** Of all of them together. */
const maxBytes = gigabyte

/**
 * Chooses files of a snapshot whose content is remembered: all if they are few, otherwise some at random, with the newest
 * and the largest that is not too large.
 */
export class ChosenFiles {
  readonly #few: SnapshotNode[] = []
  readonly #random: RandomChoice
  #files = 0
  #bytes = 0
  #newest: SnapshotNode | undefined
  #largest: SnapshotNode | undefined

  constructor(random = Math.random) {
    this.#random = new RandomChoice(maxFiles, random)
  }

  add(node: SnapshotNode): void {
    this.#files++
    this.#bytes += node.size
    if (this.#files <= maxFiles) this.#few.push(node)
    if (node.size > maxFileBytes) return
    this.#random.add(node)
    if (!this.#newest || Date.parse(node.mtime) > Date.parse(this.#newest.mtime)) this.#newest = node
    if (!this.#largest || node.size > this.#largest.size) this.#largest = node
  }

  list(): SnapshotNode[] {
    if (this.#files <= maxFiles && this.#bytes <= maxBytes) return this.#few
    const special = [this.#newest, this.#largest].flatMap((node) => node ?? [])
    return withinBytes([...new Set([...special, ...this.#random.list])], maxBytes)
  }
}

/** So many of any number, each as likely as any other. */
export class RandomChoice {
  readonly list: SnapshotNode[] = []
  readonly #most: number
  readonly #random: () => number
  #seen = 0

  constructor(most: number, random = Math.random) {
    this.#most = most
    this.#random = random
  }

  add(node: SnapshotNode): void {
    this.#seen++
    if (this.list.length < this.#most) {
      this.list.push(node)
      return
    }
    const at = Math.floor(this.#random() * this.#seen)
    if (at < this.#most) this.list[at] = node
  }
}

/** In their order, those that still fit. */
export function withinBytes(nodes: readonly SnapshotNode[], most: number): SnapshotNode[] {
  let bytes = 0
  return nodes.filter(({ size }) => {
    if (bytes + size > most) return false
    bytes += size
    return true
  })
}
