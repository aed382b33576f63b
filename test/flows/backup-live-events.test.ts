import { expect, test } from 'vitest'
import type { BackupJob } from '../../shared/api/backup-jobs.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { enrolledDevice, enrollmentKeyOf, holdings, person, siteOf } from '../helpers/factories.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'

const isBackup = ({ type }: LiveEvent) => type === 'backup.job' || type === 'backup.restore'

test('only those who see the device hear of its backups and restores', async () => {
  await using app = await testApp()
  const { device, operator, socket, token, org, site, origin } = await storingDevice(app)
  const branch = await siteOf(app, token, org.id, 'Branch')
  const key = await enrollmentKeyOf(app, token, { orgId: org.id, siteId: branch.id })
  const far = await enrolledDevice(app, key.key, 'far-1')
  const hamburg = await holdings(app, token, 'Hamburg', 'hh-1')
  const inOrganization = async (email: string, orgId: string, siteIds: string[] | null = null) =>
    liveStream(origin, (await person(app, { email, scope: 'organization', orgId, siteIds })).token, device.deviceId)
  using same = await inOrganization('same@x.test', org.id, [site.id])
  using elsewhere = await inOrganization('branch@x.test', org.id, [branch.id])
  using foreign = await inOrganization('hh@x.test', hamburg.org.id)

  const job = (await operator.run(device.deviceId)).body as BackupJob
  await socket.frame((frame) => frame.id === job.id)
  const result = { status: 'completed', snapshotId: 'a'.repeat(64), filesBackedUp: 1, bytesBackedUp: 1 }
  socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
  await socket.settled()
  const [snapshot] = await operator.snapshots({ orgId: org.id })
  const wish = { snapshotId: snapshot?.id, restoreType: 'full', targetPath: '/srv/back' }
  expect((await app.call(createRestore, { body: wish } as never, { token })).status).toBe(201)
  await same.event(({ type }) => type === 'backup.restore')
  expect(same.events.filter(({ type }) => type === 'backup.job')).not.toEqual([])

  // Events come in order: what was said before this one has arrived.
  for (const [stream, { deviceId }] of [
    [elsewhere, far],
    [foreign, hamburg.device],
  ] as const) {
    await app.call(updateDevice, { params: { id: deviceId }, body: { displayName: 'Now' } }, { token })
    await stream.event((event) => event.type === 'device.changed' && event.deviceId === deviceId)
    expect(stream.events.filter(isBackup)).toEqual([])
  }
})
