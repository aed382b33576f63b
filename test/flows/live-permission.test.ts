import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/identity/index.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import { company, person } from '../helpers/factories.ts'
import { listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { testApp } from '../helpers/test-app.ts'

test('a stream ends for whoever may no longer read devices', async () => {
  await using app = await testApp()
  const { admin, device } = await company(app)
  const colleague = await person(app, {
    email: 'c@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Viewer',
  })
  using stream = await liveStream(await listening(app), colleague.token)
  const rename = (displayName: string) =>
    app.call(updateDevice, { params: { id: device.deviceId }, body: { displayName } }, { token: admin.token })
  await rename('before')
  await stream.event(({ type }) => type === 'device.changed')
  const role = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
  app.db.run(q.deleteFrom('role_permissions').where('role_id', '=', role))
  const heard = stream.events.length
  await rename('after')
  await expect(stream.event(() => false)).rejects.toThrow('the stream ended')
  expect(stream.events.slice(heard)).toEqual([{ type: 'goodbye', reason: 'changed' }])
})
