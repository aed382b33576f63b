import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { listVerifications, type Verification, verifyBackup } from '../../shared/api/backup-verification.ts'
import { eventually } from '../helpers/eventually.ts'
import { protectedDevice } from './backup-agent-kit.ts'

/** A backup that is proven by the agent that devices have, with the real restic. */

async function scene(...wish: Parameters<typeof protectedDevice>) {
  const at = await protectedDevice(...wish)
  const { app, token, deviceId } = at
  const proven = async (verificationType: Verification['verificationType']) => {
    const asked = await app.call(verifyBackup, { query: {}, body: { deviceId, verificationType } }, { token })
    expect(asked.status, JSON.stringify(asked.body)).toBe(201)
    const { id } = asked.body.data.verification
    return eventually(async () => {
      const { data } = (await app.call(listVerifications, { query: {} }, { token })).body
      const check = data.find((one: Verification) => one.id === id) as Verification
      expect(['pending', 'running']).not.toContain(check.status)
      return check
    })
  }
  return { ...at, proven }
}

test('files are restored for proof and compared with what they were on the device, and nothing of it stays', async () => {
  const { app, folder, source, backedUp, proven } = await scene()
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  const kept = app.db.one(q.selectFrom('backup_snapshot_checksums').select('files'))
  expect(
    JSON.parse(kept.files)
      .map(({ path }: { path: string }) => path)
      .sort(),
  ).toEqual([join(source, 'docs', 'report.txt'), join(source, 'notes.txt')])
  const check = await proven('test_restore')
  expect(check).toMatchObject({
    ...{ status: 'passed', filesVerified: 2, filesFailed: 0 },
    details: { ranOn: 'device', checksumsCompared: 2, cleanedUp: true, sampled: false },
  })
  expect(check.restoreTimeSeconds).toBeGreaterThan(0)
  const place = join(folder, 'state', 'test-restore')
  expect(existsSync(place) ? readdirSync(place) : []).toEqual([])
  expect(app.db.all(q.selectFrom('backup_store_credentials').selectAll())).toEqual([])
})

test('in a folder of the device it is the device that reads the data', async () => {
  const path = scratchFolder()
  const details = { location: 'device', path }
  const { app, proven, backedUp } = await scene({ storage: { provider: 'local', details } })
  const first = await backedUp()
  expect(first).toMatchObject({ status: 'completed' })
  expect(await proven('integrity')).toMatchObject({
    ...{ status: 'passed', filesVerified: 2 },
    details: { ranOn: 'device' },
  })

  // Restic misses no snapshot that is gone; the appliance knows that it was there.
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  const ofFirst = q.selectFrom('backup_snapshots').select(['id', 'snapshot_id']).where('job_id', '=', first.id)
  const { id, snapshot_id } = app.db.one(ofFirst)
  const [file = ''] = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(snapshot_id),
  )
  rmSync(join(path, file))
  expect(await proven('integrity')).toMatchObject({
    ...{ status: 'partial', filesVerified: 2 },
    details: { otherSnapshots: [{ snapshotId: id }], reason: 'Other snapshots are missing in the storage' },
  })
})
