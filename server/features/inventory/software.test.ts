import { expect, test } from 'vitest'
import { deviceSoftware } from '../../../shared/api/devices.ts'
import { uploadSoftware } from '../../../shared/device/uploads.ts'
import { company } from '../../../test/helpers/factories.ts'
import { type TestApp, testApp } from '../../../test/helpers/test-app.ts'
import { q } from '../../db/query.ts'

const packages = (count: number, version: string) =>
  Array.from({ length: count }, (_, n) => ({
    name: `package-${n}`,
    version,
    vendor: null,
    installDate: null,
    installLocation: null,
    uninstallString: null,
  }))

async function scene(app: TestApp) {
  const { admin, device } = await company(app)
  return {
    device,
    upload: (software: unknown[]) =>
      app.call(
        uploadSoftware,
        { params: { agentId: device.agentId }, body: { software } },
        { token: device.authToken },
      ),
    listed: async () =>
      (await app.call(deviceSoftware, { params: { id: device.deviceId } }, { token: admin.token })).body,
    stored: () => app.db.all(q.selectFrom('device_software').selectAll()),
  }
}

test('ten thousand packages are kept, and a shorter list replaces them all', async () => {
  await using app = await testApp()
  const { upload, listed, stored } = await scene(app)
  expect((await upload(packages(10_000, '1'))).body).toEqual({ success: true, count: 10_000 })
  expect((await listed()).pagination.total).toBe(10_000)
  await upload(packages(3, '2'))
  expect((await listed()).data.map(({ version }) => version)).toEqual(['2', '2', '2'])
  expect(stored()).toHaveLength(3)
})

test('while a long software list is written, the previous list is shown in full', async () => {
  await using app = await testApp()
  const { upload, listed } = await scene(app)
  await upload(packages(5, 'former'))
  const writing = upload(packages(10_000, 'next'))
  const seen = new Set<number>()
  for (let isDone = false; !isDone; ) {
    seen.add((await listed()).pagination.total)
    isDone = await Promise.race([writing.then(() => true), new Promise<false>((go) => setImmediate(go, false))])
  }
  expect([...seen].filter((total) => total !== 5 && total !== 10_000)).toEqual([])
  expect((await listed()).pagination.total).toBe(10_000)
})

test('of two concurrent software uploads only the rows of the later one remain', async () => {
  await using app = await testApp()
  const { upload, stored } = await scene(app)
  await Promise.all([upload(packages(4000, 'first')), upload(packages(2500, 'second'))])
  const rows = stored()
  expect(rows).toHaveLength(2500)
  expect(new Set(rows.map(({ version }) => version))).toEqual(new Set(['second']))
})

test('rows left by a crash during an upload are not shown and are deleted by the next upload', async () => {
  await using app = await testApp()
  const { device, upload, listed, stored } = await scene(app)
  await upload(packages(2, '1'))
  const remains = { device_id: device.deviceId, report: 2, name: 'half', version: '9', position: 0 }
  app.db.run(q.insertInto('device_software').values(remains))
  expect((await listed()).pagination.total).toBe(2)
  await upload(packages(3, '2'))
  expect((await listed()).data.map(({ name }) => name)).toEqual(['package-0', 'package-1', 'package-2'])
  expect(stored()).toHaveLength(3)
})
