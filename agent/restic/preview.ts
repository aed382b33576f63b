import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { type BackupPreview, type PreviewPayload, previewSeconds } from '../../shared/device/backup-preview.ts'
import { reasonOf } from '../failure.ts'
import { Exclusions } from './exclusions.ts'
import { lookFor, onThisComputer } from './places.ts'
import { walk } from './walk.ts'

export interface PreviewRun {
  payload: PreviewPayload
  /** What restic keeps for itself, and never backs up. */
  cacheFolder: string | null
  signal: AbortSignal
  /** For tests: how long to look, and at how much. */
  bounds?: { milliseconds: number; entries: number }
}

interface Folder {
  path: string
  files: number
  bytes: number
  /** That it is in, as far as they are told apart. */
  above: Folder | null
  depth: number
}

const usualBounds = { milliseconds: previewSeconds * 1000, entries: 2_000_000 }
/** How deep below a path folders are told apart, and how many are named in the end. */
const deepest = 3
const named = 60
const keptExamples = 20

/**
 * Looks at what a backup would read, without reading it.
 * @throws when the signal is aborted
 */
export async function previewBackup({ payload, cacheFolder, signal, bounds = usualBounds }: PreviewRun) {
  const { paths, excludes } = onThisComputer(payload)
  const { present, missing } = await lookFor(paths)
  const found = new Findings(new Exclusions(excludes), cacheFolder)
  const deadline = performance.now() + bounds.milliseconds
  let entries = 0
  let isWhole = true
  const distinct = [...new Set(present.map((path) => resolve(path)))]
  const sources = distinct.filter((path) => !distinct.some((other) => isWithin(path, other)))
  for await (const batch of walk(sources, {
    signal,
    isLeftOut: (path) => found.isLeftOut(path),
    onUnreadable: (path, error) => found.addUnreadable(path, error),
  })) {
    for (const { path, stats } of batch) found.add(path, stats)
    entries += batch.length
    isWhole = entries <= bounds.entries && performance.now() <= deadline
    if (!isWhole) break
  }
  return found.told(missing, isWhole)
}

function isWithin(path: string, other: string): boolean {
  const way = relative(other, path)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}

class Findings {
  readonly #exclusions: Exclusions
  readonly #cacheFolder: string | null
  readonly #folders = new Map<string, Folder>()
  readonly #leftOut: Map<string, { count: number; example: string | null }>
  readonly #examples: { path: string; error: string }[] = []
  #unreadable = 0
  #files = 0
  #bytes = 0
  #folderCount = 0

  constructor(exclusions: Exclusions, cacheFolder: string | null) {
    this.#exclusions = exclusions
    this.#cacheFolder = cacheFolder
    this.#leftOut = new Map(exclusions.patterns.map((pattern) => [pattern, { count: 0, example: null }]))
  }

  isLeftOut(path: string): boolean {
    if (path === this.#cacheFolder) return true
    const pattern = this.#exclusions.patternFor(path)
    const left = pattern === undefined ? undefined : this.#leftOut.get(pattern)
    if (!left) return false
    left.count++
    left.example ??= path
    return true
  }

  addUnreadable(path: string, error: unknown): void {
    this.#unreadable++
    if (this.#examples.length < keptExamples) this.#examples.push({ path, error: reasonOf(error) })
  }

  add(path: string, stats: { isDirectory(): boolean; isFile(): boolean; size: number }): void {
    if (stats.isDirectory()) {
      this.#folderCount++
      const above = this.#folderOf(path)
      // Deeper ones count for the one above them.
      if (above !== null && above.depth === deepest) return
      this.#folders.set(path, { path, files: 0, bytes: 0, above, depth: above === null ? 0 : above.depth + 1 })
    } else if (stats.isFile()) {
      this.#files++
      this.#bytes += stats.size
      for (let folder = this.#folderOf(path); folder; folder = folder.above) {
        folder.files++
        folder.bytes += stats.size
      }
    }
  }

  told(missing: string[], isWhole: boolean): BackupPreview {
    const largest = [...this.#folders.values()]
      .filter(({ files }) => files > 0)
      // A folder is never smaller than what is in it, so that none is named without those it is in.
      .toSorted((a, b) => b.bytes - a.bytes || a.depth - b.depth)
      .slice(0, named)
    return {
      files: this.#files,
      bytes: this.#bytes,
      folders: this.#folderCount,
      isWhole,
      missing,
      largest: largest.map(({ path, files, bytes }) => ({ path, files, bytes })),
      leftOut: [...this.#leftOut].map(([pattern, left]) => ({ pattern, ...left })),
      unreadable: { count: this.#unreadable, examples: this.#examples },
    }
  }

  #folderOf(path: string): Folder | null {
    const parent = dirname(path)
    return this.#folders.get(parent) ?? (parent === path ? null : this.#folderOf(parent))
  }
}
