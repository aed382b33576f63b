import { pairs } from './compare-snapshots.ts'
import { start } from './cursor.ts'
import { Draw } from './draw.ts'
import { endingOf, isDocument, stemOf } from './endings.ts'
import type { IndexDatabase } from './index-file.ts'
import { types } from './listing.ts'
import { nameOf } from './names.ts'
import {
  type EntryRow,
  entryColumns,
  entryOf,
  FolderNames,
  isInSnapshot,
  type SnapshotRow,
  snapshotOf,
} from './reading.ts'
import type { ChangeMeasure, FilePair, Questions } from './shapes.ts'

/** The content of a smaller file says too little. */
const leastBytes = 512
/** Files of one folder whose names are compared; of more, only how many. */
const mostNames = 20_000

/** Two rows of the same file, or of the one that came in its place. */
interface RowPair {
  how: FilePair['how']
  before: EntryRow
  after: EntryRow
}

type Input = Questions['measure']['input']

/** How much of the older snapshot is different in the newer one. */
export function measureChange(db: IndexDatabase, input: Input): ChangeMeasure {
  const [older, newer] = [snapshotOf(db, input.older), snapshotOf(db, input.newer)]
  const measure = new Measure(input)
  for (const { path, before, after } of pairs(db, older, newer, start)) {
    measure.enter(path.folder)
    if (before && isFile(before) && after && isFile(after)) measure.changed(before, after)
    else if (before && isFile(before)) measure.removed(before)
    else if (after && isFile(after)) measure.added(after)
  }
  measure.leave()
  const kinds = new Map<string, number>()
  for (const row of documentsIn(db, older)) {
    const ending = endingOf(nameIn(row))
    kinds.set(ending, (kinds.get(ending) ?? 0) + 1)
  }
  if (input.alike) for (const row of inBoth(db, older, newer)) measure.alike(row)
  const { files, bytes } = sizeOf(db, older)
  const folders = new FolderNames(db)
  const pathOf = (row: EntryRow, { isWindows }: SnapshotRow) => entryOf(row, folders.of(row.folder), isWindows).path
  return {
    filesBefore: files,
    bytesBefore: bytes,
    ...measure.counts,
    newEnding: measure.newEnding(),
    kinds: [...kinds].map(([ending, all]) => ({ ending, files: all, touched: measure.touched.get(ending) ?? 0 })),
    drawnFrom: measure.drawnFrom(),
    pairs: measure
      .drawn()
      .map(({ how, before, after }) => ({ how, before: pathOf(before, older), after: pathOf(after, newer) })),
  }
}

class Measure {
  readonly counts = { changed: 0, added: 0, removed: 0, replaced: 0, renamed: 0, newBytes: 0 }
  /** By the ending of documents. */
  readonly touched = new Map<string, number>()
  readonly #endings = new Map<string, number>()
  readonly #documents: Draw<RowPair>
  readonly #others: Draw<RowPair>
  readonly #alike: Draw<RowPair>
  readonly #enoughDocuments: number
  #folder = -1
  #gone: EntryRow[] = []
  #came: EntryRow[] = []

  constructor({ pairs, enoughDocuments }: Pick<Input, 'pairs' | 'enoughDocuments'>) {
    this.#documents = new Draw(pairs)
    this.#others = new Draw(pairs)
    this.#alike = new Draw(pairs)
    this.#enoughDocuments = enoughDocuments
  }

  changed(before: EntryRow, after: EntryRow): void {
    this.counts.changed++
    this.counts.newBytes += after.size ?? 0
    this.#touch('changed', before, after)
  }

  removed(row: EntryRow): void {
    this.counts.removed++
    if (this.#gone.length < mostNames) this.#gone.push(row)
  }

  added(row: EntryRow): void {
    this.counts.added++
    this.counts.newBytes += row.size ?? 0
    if (this.#came.length < mostNames) this.#came.push(row)
  }

  /** A file of the same size and time in both. */
  alike(row: EntryRow): void {
    if (isLarge(row)) this.#alike.offer({ how: 'alike', before: row, after: row })
  }

  /** Differences of one folder come together. */
  enter(folder: number): void {
    if (folder === this.#folder) return
    this.leave()
    this.#folder = folder
  }

  leave(): void {
    if (this.#gone.length > 0 && this.#came.length > 0) this.#pair(this.#gone, this.#came)
    this.#gone = []
    this.#came = []
  }

  newEnding(): ChangeMeasure['newEnding'] {
    let found: ChangeMeasure['newEnding'] = null
    for (const [text, files] of this.#endings) if (files > (found?.files ?? 0)) found = { text, files }
    return found
  }

  /** Those that look alike come last: they are only there when they were asked for. */
  drawn(): RowPair[] {
    const others = this.#hasEnoughDocuments() ? [] : this.#others.drawn
    const touched = [...this.#documents.drawn, ...others].slice(0, this.#documents.size)
    return [...touched, ...this.#alike.drawn]
  }

  drawnFrom(): number {
    return this.#documents.offered + (this.#hasEnoughDocuments() ? 0 : this.#others.offered)
  }

  #hasEnoughDocuments(): boolean {
    return this.#documents.offered >= this.#enoughDocuments
  }

  /** Which of the files that came has the name of one that went; the others are paired as they come. */
  #pair(gone: readonly EntryRow[], came: readonly EntryRow[]): void {
    const byStem = Map.groupBy(came, (row) => stemOf(nameIn(row)))
    const used = new Set<EntryRow>()
    const left: EntryRow[] = []
    for (const before of gone) {
      const name = nameIn(before)
      const named = [...(byStem.get(name) ?? []), ...(byStem.get(stemOf(name)) ?? [])]
      const after = named.find((row) => !used.has(row))
      if (!after) {
        left.push(before)
        continue
      }
      used.add(after)
      const ending = endingOf(nameIn(after))
      this.#endings.set(ending, (this.#endings.get(ending) ?? 0) + 1)
      this.counts.renamed++
      this.counts.replaced++
      this.#touch('renamed', before, after)
    }
    const others = came.filter((row) => !used.has(row))
    for (const [at, after] of others.slice(0, left.length).entries()) {
      const before = left[at]
      if (!before) break
      this.counts.replaced++
      this.#touch('replaced', before, after)
    }
  }

  #touch(how: FilePair['how'], before: EntryRow, after: EntryRow): void {
    const ending = endingOf(nameIn(before))
    const isOfDocument = isDocument(ending)
    if (isOfDocument) this.touched.set(ending, (this.touched.get(ending) ?? 0) + 1)
    if (!isLarge(before) || !isLarge(after)) return
    const draw = isOfDocument ? this.#documents : this.#others
    draw.offer({ how, before, after })
  }
}

const isFile = (row: EntryRow): boolean => row.type === types.file
const isLarge = ({ size }: EntryRow): boolean => (size ?? 0) >= leastBytes
const nameIn = (row: EntryRow): string => nameOf(row.name_key, row.own_name)

const sizeOf = (db: IndexDatabase, { key }: SnapshotRow) =>
  db
    .prepare<[number], { files: number; bytes: number }>('SELECT files, bytes FROM snapshots WHERE id = ?')
    .get(key) ?? { files: 0, bytes: 0 }

function* documentsIn(db: IndexDatabase, { key }: SnapshotRow): Generator<EntryRow> {
  const rows = db
    .prepare<unknown[], EntryRow>(
      `SELECT ${entryColumns} FROM entries WHERE is_leaf = 1 AND type = ${types.file} AND ${isInSnapshot}`,
    )
    .iterate(key)
  for (const row of rows) if (isDocument(endingOf(nameIn(row)))) yield row
}

const inBoth = (db: IndexDatabase, older: SnapshotRow, newer: SnapshotRow): Iterable<EntryRow> =>
  db
    .prepare<unknown[], EntryRow>(
      `SELECT ${entryColumns} FROM entries
       WHERE is_leaf = 1 AND type = ${types.file} AND ${isInSnapshot} AND ${isInSnapshot}`,
    )
    .iterate(older.key, newer.key)
