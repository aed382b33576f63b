import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listVerifications, verifyBackup } from '../../shared/api/backup-verification.ts'
import { backupScene } from '../faults/scene.ts'
import { eventually } from '../helpers/eventually.ts'
import { call } from './scene.ts'

test('an agent that is killed while it restores for proof clears away at its next start, and the check has failed', async () => {
  const at = await backupScene()
  const { origin, token, device } = at
  const agent = device.start()
  await at.isReady(device.id)
  at.addFiles('large', 200)
  expect((await at.ended(await at.run())).status).toBe('completed')

  const place = join(device.stateDir, 'test-restore')
  const left = () => (existsSync(place) ? readdirSync(place) : [])
  const wish = { deviceId: device.id, verificationType: 'test_restore' } as const
  const { id } = (await call(origin, verifyBackup, { body: wish }, token)).data.verification
  await eventually(() => expect(left()).toEqual([id]))
  await agent.stop('SIGKILL')
  expect(left()).toEqual([id])

  device.start()
  await eventually(() => expect(left()).toEqual([]))
  await device.isQuiet()
  expect(left()).toEqual([])
  await eventually(async () => {
    const { data } = await call(origin, listVerifications, {}, token)
    const reason = expect.stringContaining('agent restarted')
    expect(data).toMatchObject([{ id, status: 'failed', details: { reason } }])
  })

  // The next one is not held up by it.
  await at.isReady(device.id)
  await call(origin, verifyBackup, { body: wish }, token)
  await eventually(async () => {
    const { data } = await call(origin, listVerifications, {}, token)
    expect(data[0]).toMatchObject({ status: 'passed', details: { cleanedUp: true } })
  })
  expect(left()).toEqual([])
})
