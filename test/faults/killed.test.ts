import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BackupScene, backupScene, hashesOf } from './scene.ts'

/** The agent, the appliance or both are killed in the middle of a backup. */

async function protectedOnce() {
  const at = await backupScene({ limitMbps: 40 })
  const agent = at.device.start()
  await at.isReady(at.device.id)
  return { ...at, agent }
}

/** What a snapshot has to bring back, by its id. */
type Kept = Map<string, Record<string, string>>

async function nextRunWorks(at: BackupScene, kept: Kept): Promise<void> {
  await at.isReady(at.device.id)
  const job = await at.ended(await at.run())
  expect(job).toMatchObject({ status: 'completed', errorLog: null })
  kept.set(job.snapshotId ?? '', hashesOf(at.source))
  await at.assertTruth()
  for (const [id, files] of kept) expect(await at.contentOf(id)).toEqual(files)
}
const snaps = (f:string) => { try { return readdirSync(join(f,'snapshots')).length } catch { return 0 } }

