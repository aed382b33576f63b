import { Readable } from 'node:stream'
import { makeZip } from 'client-zip'
import { type Entry, resticPathOf } from '../snapshot-index/index.ts'
import { type ArchivedEntry, entriesOfTar, inArchive } from './archived-entries.ts'
import type { Dump } from './dump.ts'

/** Reads a file as it is, a folder as a tar archive; until the signal. */
type DumpEntry = (entry: Entry, signal: AbortSignal) => Promise<Dump>

/**
 * Several files and folders as one ZIP archive; none is within another. One is read after the other, as the archive is
 * read, so that nothing has to be kept on a disk.
 * @throws what `dump` throws for the first
 */
export async function beginArchive([first, ...rest]: readonly Entry[], dump: DumpEntry): Promise<Dump> {
  if (!first) throw new Error('An archive needs an entry')
  const gone = new AbortController()
  let current = dump(first, gone.signal)
  await current
  async function* entries(): AsyncGenerator<ArchivedEntry> {
    yield* entriesOf(first as Entry, await current)
    for (const entry of rest) {
      await (await current).over
      current = dump(entry, gone.signal)
      yield* entriesOf(entry, await current)
    }
  }
  const content = Readable.fromWeb(makeZip(entries(), { buffersAreUTF8: true }))
  // It may fail before anybody listens.
  content.on('error', () => {})
  const closed = new Promise((resolve) => content.once('close', resolve))
  const over = closed.then(async () => {
    gone.abort()
    const last = await current.catch(() => null)
    last?.content.destroy()
    await last?.over
  })
  return { content, over }
}

/** Of a folder it comes first itself: restic leaves it out. */
async function* entriesOf({ path, type, modifiedAt }: Entry, { content }: Dump): AsyncGenerator<ArchivedEntry> {
  const named = {
    path: resticPathOf(path).slice(1),
    modifiedAt: modifiedAt === null ? undefined : new Date(modifiedAt),
  }
  if (type === 'file') {
    yield inArchive({ ...named, content })
    return
  }
  yield inArchive(named)
  yield* entriesOfTar(content)
}
