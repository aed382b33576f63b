import { RandomChoice, withinBytes } from './chosen-files.ts'
import type { SnapshotNode } from './snapshot-nodes.ts'

/** What a test restore restores: everything, or these files and links. */
export interface Scope {
  nodes: readonly SnapshotNode[] | 'all'
  bytes: number
  totalBytes: number
  /** Whether all that is still in the snapshot of what could not be restored before is among them. */
  isAgain: boolean
}

interface Named {
  /** Files that there are checksums of. */
  remembered: ReadonlySet<string>
  /** What former test restores could not bring back. */
  again: ReadonlySet<string>
}

export interface Room {
  /** A snapshot with more bytes is not restored as a whole, but a part of it. */
  wholeUpToBytes: number
  freeBytes: number
}

const gigabyte = 1024 ** 3
/** Beside the files that are named. */
const furtherFiles = 500
/** Nothing else on the disk is to want for room. */
const roomFactor = 1.2
const leftFreeBytes = gigabyte

/** Gathers what is in a snapshot, and says how much of it is restored for proof. */
export class ScopeChoice {
  readonly #named: Named
  readonly #remembered: SnapshotNode[] = []
  readonly #again: SnapshotNode[] = []
  readonly #further: RandomChoice
  /** Of the files that are not empty. */
  #smallest: SnapshotNode | undefined
  #bytes = 0

  constructor(named: Named, random = Math.random) {
    this.#named = named
    this.#further = new RandomChoice(furtherFiles, random)
  }

  add(node: SnapshotNode): void {
    const { again, remembered } = this.#named
    if (node.type === 'symlink' && again.has(node.path)) this.#again.push(node)
    if (node.type !== 'file') return
    this.#bytes += node.size
    if (node.size > 0 && node.size < (this.#smallest?.size ?? Number.POSITIVE_INFINITY)) this.#smallest = node
    if (again.has(node.path)) this.#again.push(node)
    else if (remembered.has(node.path)) this.#remembered.push(node)
    else this.#further.add(node)
  }

  /** Null when there is no room: too small a part would prove nothing. */
  within({ wholeUpToBytes, freeBytes }: Room): Scope | null {
    const room = Math.max(0, (freeBytes - leftFreeBytes) / roomFactor)
    const totalBytes = this.#bytes
    if (totalBytes <= Math.min(wholeUpToBytes, room))
      return { nodes: 'all', bytes: totalBytes, totalBytes, isAgain: true }
    const nodes = this.#sample(wholeUpToBytes, room)
    if (nodes === null) return null
    const chosen = new Set(nodes)
    const isAgain = this.#again.every((node) => chosen.has(node))
    return { nodes, bytes: bytesOf(nodes), totalBytes, isAgain }
  }

  #sample(wholeUpToBytes: number, room: number): SnapshotNode[] | null {
    const candidates = [...this.#remembered, ...this.#again, ...this.#further.list]
    const wished = bytesOf(withinBytes(candidates, wholeUpToBytes))
    // Every file is larger than that, or those drawn are empty.
    if (wished === 0) return this.#smallest && this.#smallest.size <= room ? [this.#smallest] : null
    const remembered = bytesOf(withinBytes(this.#remembered, wholeUpToBytes))
    const nodes = withinBytes(candidates, Math.min(wholeUpToBytes, room))
    const isEnough = remembered > 0 ? remembered <= room : bytesOf(nodes) >= wished / 2
    return isEnough ? nodes : null
  }
}

const bytesOf = (nodes: readonly SnapshotNode[]): number => nodes.reduce((sum, { size }) => sum + size, 0)
