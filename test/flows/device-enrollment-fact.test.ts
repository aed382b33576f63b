import { expect, test } from 'vitest'
import { readDevice } from '../../shared/api/devices.ts'
import { deleteEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { company, enrolledDevice, enrollmentKeyOf, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

const keyShown = async (app: TestApp, token: string, id: string) =>
  (await app.call(readDevice, { params: { id } }, { token })).body.enrollmentKey

test('a device names the key it enrolled with until that key is deleted', async () => {
  await using app = await testApp()
  const { admin, key, device } = await company(app)
  expect(await keyShown(app, admin.token, device.deviceId)).toEqual({ id: key.id, name: key.name })
  await app.call(deleteEnrollmentKey, { params: { id: key.id } }, { token: admin.token })
  expect(await keyShown(app, admin.token, device.deviceId)).toBeNull()
})

test('a user confined to a site does not see an enrollment key of the whole organization', async () => {
  await using app = await testApp()
  const { admin, org, site, key, device } = await company(app)
  const wide = await enrollmentKeyOf(app, admin.token, { orgId: org.id })
  const other = await enrolledDevice(app, wide.key, 'pc-2')
  const confined = await person(app, {
    email: 'site@acme.test',
    scope: 'organization',
    orgId: org.id,
    siteIds: [site.id],
  })
  expect(await keyShown(app, confined.token, device.deviceId)).toEqual({ id: key.id, name: key.name })
  expect(await keyShown(app, admin.token, other.deviceId)).toEqual({ id: wide.id, name: wide.name })
  expect(await keyShown(app, confined.token, other.deviceId)).toBeNull()
})
