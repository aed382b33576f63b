import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { z } from 'zod'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { reasonFrom } from '../../shared/node/restic-refusals.ts'
import { parseJson } from '../server-client.ts'
import { type ResticSettings, runRestic } from './restic-run.ts'
import { FilesPassing, type SnapshotNode } from './snapshot-nodes.ts'

/** Takes the files of a snapshot, as `restic ls --json` prints them, compressed with gzip. */
export type SendListing = (snapshotId: string, listing: Readable) => Promise<void>

const firstLine = z.object({ struct_type: z.literal('snapshot'), id: z.string() })
const longestFirstLine = 1024 * 1024

/**
 * Sends the names of all files of a snapshot to the server, which can then show them.
 * @param snapshotId its beginning will do
 * @param onFile told of each file
 * @returns the whole id, undefined when restic did not say it; and whether the server has all of the names
 */
export async function sendListing(
  settings: ResticSettings,
  engine: ResticEngine,
  snapshotId: string,
  send: SendListing,
  signal: AbortSignal,
  onFile: (node: SnapshotNode) => void = () => {},
): Promise<{ id: string | undefined; isSent: boolean }> {
  const listing = new PassThrough()
  // Nobody reads it when restic fails before it has said anything; an error that nobody hears ends the agent.
  listing.on('error', () => {})
  let id: string | undefined
  let sent: Promise<boolean> = Promise.resolve(false)
  const takeOutput = (stdout: Readable) => {
    onFirstLine(stdout, (line) => {
      id = firstLine.safeParse(parseJson(line)).data?.id
      if (id === undefined) {
        stdout.resume()
        return
      }
      sent = send(id, listing).then(
        () => true,
        () => false,
      )
      pipeline(stdout, new FilesPassing(onFile), createGzip({ level: 4 }), listing).catch(() => {
        // restic ends with a lock left behind when nobody reads on.
        stdout.resume()
      })
    })
  }
  const end = await runRestic(settings, engine, ['ls', snapshotId], signal, { takeOutput })
  if (end.code !== 0) listing.destroy(new Error(reasonFrom(end)))
  return { id, isSent: (await sent) && end.code === 0 }
}

/** Reads one line and puts it back. */
function onFirstLine(stream: Readable, take: (line: string) => void): void {
  const chunks: Buffer[] = []
  const read = (chunk: Buffer) => {
    chunks.push(chunk)
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\n')
    if (end < 0 && all.length < longestFirstLine) return
    stream.off('data', read)
    stream.pause()
    stream.unshift(all)
    take(all.subarray(0, Math.max(0, end)).toString())
  }
  stream.on('data', read)
}
