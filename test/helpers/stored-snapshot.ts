import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { listingPath } from '../../shared/device/backup.ts'
import { backupOperator } from './backup-kit.ts'
import { company } from './factories.ts'
import { connect, listening } from './fake-device.ts'
import { setDevice } from './rows.ts'
import { comparedSnapshots } from './tasks.ts'
import type { TestApp } from './test-app.ts'

/** A company whose device has storage on the appliance, and makes backups with the real restic. */
export async function storingDevice(app: TestApp) {
  const made = await company(app)
  const { admin, device } = made
  const origin = await listening(app)
  const operator = backupOperator(app, admin.token)
  const config = await operator.storage()
  setDevice(app, device.deviceId, { backup_version: 'restic/0.14.0' })
  const socket = await connect(origin, device)

  /**
   * The row of the snapshot. `isListed: false`: the appliance is not told what is in it. `said`: what the device says of its
   * files, from what restic says.
   */
  const backUp = async (source: string, { isListed = true, said = (listing: string) => listing } = {}) => {
    const job = (await operator.run(device.deviceId)).body
    const { payload } = await socket.frame((frame) => frame.id === job.id)
    const { repositoryId } = (payload as { engine: { repositoryId: string } }).engine
    const folder = quickRepositoryOf(app, repositoryId)
    const engine = restic(folder, quickPassword)
    const tag = `job:${job.id}`
    await engine.ok('backup', '--json', '--host', device.deviceId, '--tag', tag, source)
    const [snapshot] = JSON.parse(await engine.ok('snapshots', '--json', '--tag', tag)) as [{ id: string }]
    const { id: snapshotId } = snapshot
    if (isListed) {
      const body = new Uint8Array(gzipSync(said(await engine.ok('ls', '--json', snapshotId))))
      const headers = { authorization: `Bearer ${device.authToken}` }
      const url = `${origin}/api/v1${listingPath(device.agentId, job.id, snapshotId)}`
      const sent = await fetch(url, { method: 'PUT', headers, body })
      if (sent.status !== 200) throw new Error(`listing: ${sent.status} ${await sent.text()}`)
    }
    const result = { status: 'completed', snapshotId, isListed, filesBackedUp: 1, bytesBackedUp: 1 }
    socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
    await socket.settled()
    await comparedSnapshots(app)
    const [row] = (await operator.snapshots()).filter(({ jobId }) => jobId === job.id)
    if (!row) throw new Error('The appliance has no such snapshot')
    return { id: row.id, snapshotId, repositoryId, folder, engine }
  }
  return { ...made, origin, operator, config, socket, backUp, token: admin.token }
}

/** The repository on the disk of the appliance, with a key that takes no time to derive. */
export function quickRepositoryOf(app: Pick<TestApp, 'db' | 'dataDir'>, repositoryId: string): string {
  const folder = join(app.dataDir, 'backups', repositoryId)
  if (existsSync(folder)) return folder
  makeQuickRepository(folder)
  const byId = q.selectFrom('backup_repositories').select('key_id').where('id', '=', repositoryId)
  const { key_id } = app.db.one(byId)
  const sealed = openSecrets(app.dataDir).encrypt(
    quickPassword,
    `storage_encryption_keys:encrypted_private_key:${key_id}`,
  )
  const change = q.updateTable('storage_encryption_keys').set({ encrypted_private_key: sealed })
  app.db.run(change.where('id', '=', key_id))
  return folder
}
