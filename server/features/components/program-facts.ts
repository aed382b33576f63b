import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { programSource } from '../../../shared/api/components.ts'
import { syncToDisk } from '../../../shared/node/files.ts'

/** What is written down beside each program. */
export const programFacts = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  source: programSource,
  /** Fingerprint of the key that signed the release. */
  signedBy: z.string().nullable(),
  addedAt: z.string(),
})
export type ProgramFacts = z.infer<typeof programFacts>

export const factsName = 'about.json'

/** Waits for the disk: for a thread that may. */
export function writeFacts(folder: string, facts: ProgramFacts): void {
  const file = join(folder, factsName)
  writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  syncToDisk(file)
}
