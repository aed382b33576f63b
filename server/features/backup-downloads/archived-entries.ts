import { on, once } from 'node:events'
import type { Readable } from 'node:stream'
import { Parser, type ReadEntry } from 'tar'

/** As `client-zip` takes it; without input it is a folder. */
export interface ArchivedEntry {
  name: string
  lastModified: Date
  mode: number
  input?: AsyncIterable<Uint8Array> | string
}

interface Archivable {
  /** Without a slash in front. */
  path: string
  modifiedAt: Date | undefined
  /** Permissions, and for a link its type. */
  mode?: number | undefined
  /** Undefined for a folder. */
  content?: AsyncIterable<Uint8Array> | string
}

const earliest = new Date('1980-01-02T00:00:00Z')
const latest = new Date('2107-12-30T00:00:00Z')
const typeOfLink = 0o120000
/** Of the archive of an empty folder: two blocks of zeros. */
const lengthOfNothing = 1024

/** A backslash in a name is a folder to some programs that open archives. */
export const inArchive = ({ path, modifiedAt = earliest, mode, content }: Archivable): ArchivedEntry => ({
  name: path.replaceAll('\\', '_'),
  lastModified: modifiedAt < earliest ? earliest : modifiedAt > latest ? latest : modifiedAt,
  mode: mode ?? (content === undefined ? 0o755 : 0o644),
  ...(content !== undefined && { input: content }),
})

/** What is in a tar archive of restic. Each has to be read to its end before the next one comes. */
export async function* entriesOfTar(content: Readable): AsyncGenerator<ArchivedEntry> {
  // Extended attributes are in the metadata.
  const parser = new Parser({ maxMetaEntrySize: 16 * 1024 * 1024 })
  const failure = new AbortController()
  const found = on(parser, 'entry', { signal: failure.signal, close: ['end'] })
  let length = 0
  parser.on('warn', (_code, message) => {
    if (length > lengthOfNothing) failure.abort(new Error(String(message)))
  })
  const feed = async () => {
    for await (const chunk of content) {
      length += chunk.length
      if (!parser.write(chunk)) await once(parser, 'drain', { signal: failure.signal })
    }
    parser.end()
  }
  feed().catch((error: unknown) => failure.abort(error))
  try {
    for await (const [entry] of found) {
      const archived = archivedOf(entry as ReadEntry)
      if (archived) yield archived
    }
  } finally {
    failure.abort()
    content.destroy()
  }
}

function archivedOf(entry: ReadEntry): ArchivedEntry | null {
  const { path, type, mode = 0, mtime: modifiedAt, linkpath } = entry
  const permissions = mode & 0o777
  if (type === 'File') return inArchive({ path, modifiedAt, mode: permissions, content: entry })
  // It has no content of its own, and the next one comes when it is read.
  entry.resume()
  if (type === 'Directory') return inArchive({ path, modifiedAt, mode: permissions })
  if (type === 'SymbolicLink' && linkpath !== undefined)
    return inArchive({ path, modifiedAt, mode: typeOfLink | permissions, content: linkpath })
  return null
}
