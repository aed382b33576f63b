import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/**
 * Programs of others that thorough tests drive or are driven by. `node test/helpers/ensure-peers.ts` brings them; a test
 * whose peer is missing is skipped and says so.
 */
const peers = {
  /** A newer restic than the oldest one that is supported, which the usual tests run with. */
  'newer restic': 'restic',
  /** S3 on a folder, with signatures and the listings of S3. */
  'S3 server': 'versitygw',
  /** restic’s REST protocol as somebody else has written it, with accounts. */
  'REST server': 'pyrestserver/bin/pyrestserver',
} as const
export type PeerName = keyof typeof peers

export const peersFolder = join(import.meta.dirname, '../../node_modules/.cache/peers')

export const peerFile = (name: PeerName): string => join(peersFolder, peers[name])

export function hasPeer(name: PeerName): boolean {
  try {
    accessSync(peerFile(name), constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The program, for a test that needs it; skips the test where it is missing.
 * @param test what Vitest hands to a test
 */
export function peerFor(test: { skip(note: string): never }, name: PeerName): string {
  return hasPeer(name) ? peerFile(name) : test.skip(`No ${name} here: run node test/helpers/ensure-peers.ts`)
}
