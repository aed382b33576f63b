import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { createVault, readVaultStatus, syncVault } from '../../shared/api/backup-vaults.ts'
import { eventually } from '../helpers/eventually.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'

/** Backups in the store of the appliance, of which the appliance makes second copies with the real restic. */
export async function vaultScene(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const made = await storingDevice(app)
  await app.app.jobs.runNow('components.take-installed')
  const as = { token: made.token }
  const folder = scratchFolder()
  const work = join(folder, 'work')
  mkdirSync(work)
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const backUp = (name: string) => {
    writeFileSync(join(work, name), name.repeat(1000))
    app.clock.advance(1000)
    return made.backUp(work)
  }
  const vaultAt = async (body: object = {}) => {
    const wanted = { deviceId: null, place: 'appliance', vaultPath: disk, ...body }
    const answer = await app.call(createVault, { body: wanted, query: { orgId: made.org.id } } as never, as)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body.id
  }
  const status = async (id: string) => (await app.call(readVaultStatus, { params: { id } }, as)).body
  const tick = () => app.app.jobs.runNow('backup.sync-copies')
  const look = () => app.app.jobs.runNow('backup.watch-copies')
  const ended = (id: string) =>
    eventually(async () => {
      const now = await status(id)
      expect(['completed', 'failed']).toContain(now.lastSyncStatus)
      return now
    })
  const sync = async (id: string, body: object = {}) => {
    expect((await app.call(syncVault, { params: { id }, body }, as)).status).toBe(200)
    return ended(id)
  }
  const snapshotIds = () =>
    app.db.all(q.selectFrom('backup_snapshots').select('snapshot_id')).map(({ snapshot_id }) => snapshot_id)
  return { ...made, app, as, snapshotIds, folder, disk, backUp, vaultAt, status, tick, look, ended, sync }
}

/** As the disk alone opens. */
export const copyOn = (disk: string, repositoryId: string, password: string) =>
  restic(join(disk, repositoryId), password)

export const copied = async (copy: ReturnType<typeof restic>) =>
  (JSON.parse(await copy.ok('snapshots', '--json')) as { id: string; original?: string }[]).map(
    ({ id, original }) => original ?? id,
  )

/** In the scenes the key is the password itself. */
export const copyPassword = quickPassword
