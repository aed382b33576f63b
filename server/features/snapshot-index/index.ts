export { createSnapshotIndex } from './create-snapshot-index.ts'
export { IndexError, type IndexErrorCode } from './index-error.ts'
export { resticPathOf } from './paths.ts'
export type {
  Change,
  ChangeMeasure,
  ComparisonPage,
  Counts,
  Difference,
  Entry,
  EntryType,
  Expansion,
  FilePair,
  FolderPage,
  FoundEntry,
  IndexedSnapshot,
  Page,
  PageQuery,
  PathVersions,
  SnapshotName,
  StoredListing,
  Version,
} from './shapes.ts'
export { SnapshotIndex } from './snapshot-index.ts'
