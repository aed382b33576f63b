import { buffer } from 'node:stream/consumers'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'

/** What each file of an archive holds; a link, where it leads; a folder nothing. */
export async function filesInZip(content: Buffer): Promise<Record<string, string>> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(content, { lazyEntries: true }, (error, file) => (error ? reject(error) : resolve(file))),
  )
  const entries: Record<string, string> = {}
  zip.readEntry()
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) =>
      zip
        .once('entry', resolve)
        .once('end', () => resolve(null))
        .once('error', reject),
    )
    if (!entry) return entries
    zip.removeAllListeners()
    entries[entry.fileName] = String(
      await new Promise<Buffer>((resolve, reject) =>
        zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(buffer(stream)))),
      ),
    )
    zip.readEntry()
  }
}
