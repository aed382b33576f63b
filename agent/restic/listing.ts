import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { reasonFrom } from '../../shared/node/restic-refusals.ts'
import { type ResticSettings, runRestic } from './restic-run.ts'

/** Takes the files of a snapshot, as `restic ls --json` prints them, compressed with gzip. */
export type SendListing = (snapshotId: string, listing: Readable) => Promise<void>

/**
 * Sends the names of all files of a snapshot to the server, which can then show them.
 * @throws Error when restic cannot list them, or the server does not take them
 */
export async function sendListing(
  settings: ResticSettings,
  engine: ResticEngine,
  snapshotId: string,
  send: SendListing,
  signal: AbortSignal,
): Promise<void> {
  const listing = new PassThrough()
  const sent = send(snapshotId, listing)
  // It is looked at in the end; until then nobody waits for it.
  sent.catch(() => {})
  const takeOutput = (stdout: Readable) => {
    pipeline(stdout, createGzip({ level: 4 }), listing).catch(() => {
      // restic ends with a lock left behind when nobody reads on.
      stdout.resume()
    })
  }
  const end = await runRestic(settings, engine, ['ls', snapshotId], signal, { takeOutput })
  if (end.code !== 0) listing.destroy(new Error(reasonFrom(end)))
  await sent
  if (end.code !== 0) throw new Error(reasonFrom(end))
}
