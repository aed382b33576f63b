import { expect, test } from 'vitest'
import { listDevices } from '../../shared/api/devices.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import { company } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

test('from an empty appliance to a device that is online in the list', async () => {
  await using app = await testApp()
  const { admin, org, site, device } = await company(app)
  const beat = await app.call(
    heartbeat,
    { params: { agentId: device.agentId }, body: { status: 'ok', agentVersion: '0.1.0' } },
    { token: device.authToken },
  )
  expect(beat.status).toBe(200)
  const { body } = await app.call(listDevices, { query: { page: '1' } }, { token: admin.token })
  expect(body.pagination).toEqual({ page: 1, limit: 500, total: 1 })
  expect(body.data).toMatchObject([
    { id: device.deviceId, status: 'online', orgId: org.id, siteId: site.id, hostname: 'pc-1' },
  ])
})
