import type { Readable } from 'node:stream'
import type { RunThere } from './restic-maintenance.ts'
import type { ResticEnd } from './restic-refusals.ts'

/** What a snapshot has, as far as restic could list it. */
export interface Entries {
  files: number
  /** Files, folders, and everything else. */
  all: number
  /** Of all of them, those with names that are no valid text: in a list they may look alike. */
  unclear: number
}

/** Counts what is in a snapshot, by the lists of folders that lie in the storage. */
export async function countEntries(run: RunThere, snapshotId: string): Promise<{ entries: Entries; end: ResticEnd }> {
  const entries: Entries = { files: 0, all: 0, unclear: 0 }
  const takeOutput = (output: Readable) => countIn(output, entries)
  const end = await run(['ls', '--no-lock', '--', snapshotId], { takeOutput })
  return { entries, end }
}

// Quotes in names are written otherwise, so that none of these can be one.
const node = /"(?:struct|message)_type":"node"/
const unclearName = /\\ufffd|\xef\xbf\xbd/

function countIn(output: Readable, entries: Entries): void {
  let rest = ''
  const take = (line: string) => {
    if (!node.test(line)) return
    entries.all++
    if (line.includes('"type":"file"')) entries.files++
    if (unclearName.test(line)) entries.unclear++
  }
  // A line can be cut between the bytes of a letter.
  output.setEncoding('latin1')
  output.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  output.on('end', () => take(rest))
}
