/** Why the index does not do what it is asked. The message says more, for the log. */
export type IndexErrorCode =
  /** The index has no such snapshot: it was never stored, or the file is gone. Store it (again). */
  | 'not_indexed'
  /** The snapshot has no such file or folder. */
  | 'not_found'
  /** The file cannot be read. Remove the index of the repository, and store its snapshots again. */
  | 'damaged'
  /** What the device sent is no listing of this snapshot. */
  | 'bad_listing'
  /** More files, or more bytes, than an index takes. */
  | 'too_large'
  | 'bad_cursor'
  | 'disk_full'
  | 'stopped'

export class IndexError extends Error {
  readonly code: IndexErrorCode
  constructor(code: IndexErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What SQLite, the file system and the unpacking say, in the words above; anything else is a defect and stays as it is. */
export function asIndexError(error: unknown): unknown {
  if (error instanceof IndexError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return new IndexError('damaged', error.message)
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return new IndexError('disk_full', error.message)
  if (/^Z_|^ERR_.*ZLIB|^ERR_BUFFER_TOO_LARGE/.test(code)) return new IndexError('bad_listing', error.message)
  return error
}
