import type { Bounds } from './bounds.ts'
import type { IndexErrorCode } from './index-error.ts'

/** What the index is asked and answers. Paths are as people see them; `resticPathOf` has the other form. */

export type EntryType = 'folder' | 'file' | 'symlink' | 'other'

export interface Entry {
  name: string
  path: string
  type: EntryType
  /** Bytes; of files only. */
  size: number | null
  /** When it was last changed; ISO 8601. */
  modifiedAt: string | null
}

export interface Counts {
  /** Everything but folders. */
  files: number
  folders: number
  bytes: number
}

/** `id`: the whole id of restic. `time`: when it was taken, milliseconds since 1970. */
export interface SnapshotName {
  id: string
  time: number
}

export interface IndexedSnapshot extends SnapshotName, Counts {}

export interface PageQuery {
  limit: number
  /** `next` of the page before. */
  after?: string | null
}

export interface Page<Item> {
  items: Item[]
  /** Null at the end. */
  next: string | null
}

export interface FolderPage extends Page<Entry> {
  /** What is in the folder itself and matches; on its first page only. */
  counts: Counts | null
}

export interface FoundEntry extends Entry {
  newestSnapshot: SnapshotName
  /** How many versions there are of it: it counts anew whenever type, size or time differ. */
  versions: number
}

export interface Version {
  type: EntryType
  size: number | null
  modifiedAt: string | null
  newestSnapshot: SnapshotName
  oldestSnapshot: SnapshotName
  /** How many snapshots have it just so. */
  snapshots: number
}

export interface PathVersions {
  path: string
  /** The newest first. */
  versions: Version[]
}

export type Change = 'added' | 'changed' | 'removed'

interface State {
  size: number | null
  modifiedAt: string | null
}

export interface Difference {
  change: Change
  path: string
  type: EntryType
  /** Null for what was added. */
  before: State | null
  /** Null for what was removed. */
  after: State | null
}

export interface ComparisonPage extends Page<Difference> {
  /** On the first page only. Bytes are those of the newer snapshot, of the older one for what was removed. */
  counts: Record<Change, Counts> | null
}

/**
 * One file before and after. `how`: `changed` has the same path; `renamed` has another ending, or one more; `replaced` is
 * another file that came to the folder of one that went; `alike` has the same size and time in both.
 */
export interface FilePair {
  how: 'changed' | 'renamed' | 'replaced' | 'alike'
  before: string
  after: string
}

/** How much of a snapshot is different in a newer one. Links and folders do not count. */
export interface ChangeMeasure {
  filesBefore: number
  bytesBefore: number
  changed: number
  added: number
  removed: number
  /** Files that went from a folder to which others came; those with a new ending are `renamed` as well. */
  replaced: number
  renamed: number
  /** The one that most of the renamed files have now, with its dot. */
  newEnding: { text: string; files: number } | null
  /** Bytes of what was added or changed. */
  newBytes: number
  /** Kinds of documents by the ending that their files had: how many there were, and how many changed or were replaced. */
  kinds: { ending: string; files: number; touched: number }[]
  /** How many files the pairs are drawn from: documents, where there are enough of them. */
  drawnFrom: number
  /** Drawn by chance, documents first; of such a size that their content says something. */
  pairs: FilePair[]
}

/** What selected files and folders come to, with all that is below them. */
export interface Expansion extends Counts {
  /** Those of the paths that the snapshot does not have. */
  missing: string[]
}

export interface StoredListing extends Counts {
  /** Entries left out because another one has the same path: names that are no UTF-8 can look alike. */
  alike: number
}

/** Questions to a thread, all about one file. */
export interface Questions {
  store: {
    input: { snapshot: SnapshotName; listing: string; bounds: Bounds }
    output: StoredListing
  }
  remove: { input: { snapshotIds: readonly string[]; bounds: Bounds }; output: null }
  close: { input: object; output: null }
  delete: { input: object; output: null }
  indexed: { input: object; output: IndexedSnapshot[] }
  folder: { input: PageQuery & { snapshotId: string; path: string; text?: string }; output: FolderPage }
  entry: { input: { snapshotId: string; path: string }; output: Entry }
  search: { input: PageQuery & { text: string }; output: Page<FoundEntry> }
  versions: { input: { path: string }; output: PathVersions }
  compare: { input: PageQuery & { older: string; newer: string; only?: Change }; output: ComparisonPage }
  measure: {
    input: { older: string; newer: string; pairs: number; enoughDocuments: number; alike: boolean }
    output: ChangeMeasure
  }
  expand: { input: { snapshotId: string; paths: readonly string[] }; output: Expansion }
  below: { input: PageQuery & { snapshotId: string; path: string }; output: Page<Entry> }
  tree: {
    input: { snapshotId: string; limit: number }
    output: { json: Uint8Array<ArrayBuffer>; isTruncated: boolean }
  }
}
export type Asked = keyof Questions

export type Request = {
  [Name in Asked]: { id: number; ask: Name; file: string; input: Questions[Name]['input'] }
}[Asked]

export type Answer =
  | { id: number; isDone: true; value: unknown }
  | { id: number; isDone: false; code: IndexErrorCode | null; message: string }
