import { expect, test } from 'vitest'
import { countInSlices } from '../../server/db/slices.ts'
import { pageInSlices } from '../../server/features/devices/page-scan.ts'
import { deviceSoftware, listDevices } from '../../shared/api/devices.ts'
import { company } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

interface Planted {
  id: string
  hostname: string
  last_seen_at: string | null
  enrolled_at: string
}

/** More devices than a search examines without giving way to other requests. */
async function largeFleet(app: TestApp) {
  const { admin, org, site, device } = await company(app)
  const planted = Array.from(
    { length: 2600 },
    (_, n): Planted => ({
      id: `${String((n * 7919) % 2600).padStart(8, '0')}-0000-4000-8000-000000000000`,
      hostname: `${n % 3 ? 'Desk' : 'lap'}-${n % 50}`,
      last_seen_at: n % 5 ? new Date(Date.parse('2026-01-01') + (n % 40) * 60_000).toISOString() : null,
      enrolled_at: new Date(Date.parse('2025-01-01') + (n % 700) * 60_000).toISOString(),
    }),
  )
  const insert = app.db.statement(
    `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, last_seen_at, enrolled_at, created_at, updated_at)
     VALUES (@id, @org, @site, @id, @hostname, 'linux', 'online', @last_seen_at, @enrolled_at, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  )
  app.db.transaction(() => {
    for (const row of planted) insert.run({ ...row, org: org.id, site: site.id })
  })
  return { admin, planted, device }
}

const orders = {
  hostname: ({ hostname }: Planted) => hostname.toLowerCase(),
  lastSeen: ({ last_seen_at }: Planted) => last_seen_at ?? '',
  enrolled: ({ enrolled_at }: Planted) => enrolled_at,
}
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

test('a search with many matches returns each once in every sort order, by page and by cursor', async () => {
  await using app = await testApp()
  const { admin, planted } = await largeFleet(app)
  const list = async (query: Record<string, string>) =>
    (await app.call(listDevices, { query }, { token: admin.token })).body
  const fitting = planted.filter(({ hostname }) => hostname.toLowerCase().includes('esk-1'))
  for (const [sort, keyOf] of Object.entries(orders))
    for (const sortDir of ['asc', 'desc'] as const) {
      const turn = sortDir === 'asc' ? 1 : -1
      const wanted = fitting
        .toSorted((a, b) => turn * compare(keyOf(a), keyOf(b)) || compare(a.id, b.id))
        .map(({ id }) => id)
      const query = { search: 'ESK-1', sort, sortDir, limit: '150' }
      const found: string[] = []
      for (let page = 1; found.length < wanted.length; page++) {
        const { data, pagination } = await list({ ...query, page: String(page) })
        expect(pagination.total, `${sort} ${sortDir}`).toBe(wanted.length)
        expect(data.length).toBeGreaterThan(0)
        found.push(...data.map(({ id }) => id))
      }
      expect(found, `${sort} ${sortDir} by page`).toEqual(wanted)
      const behind: string[] = []
      for (let cursor: string | null | undefined = ''; cursor !== null && cursor !== undefined; ) {
        const { data, pagination } = await list({ ...query, includeTotal: 'true', ...(cursor && { cursor }) })
        expect(pagination.total).toBe(wanted.length)
        behind.push(...data.map(({ id }) => id))
        cursor = pagination.nextCursor
      }
      expect(behind, `${sort} ${sortDir} by cursor`).toEqual(wanted)
    }
})

test('a search compares letters in order and ignores case', async () => {
  await using app = await testApp()
  const { admin, planted } = await largeFleet(app)
  const rename = app.db.statement('UPDATE devices SET hostname = ? WHERE id = ?')
  const some = ['kesde-sk-de', 'ÄRGER-ÜBER-ALLES', 'ärger-über-alles-2', 'abc-bcd-cde']
  some.forEach((name, n) => {
    rename.run(name, planted[n]?.id)
  })
  const found = async (search: string) =>
    (
      await app.call(listDevices, { query: { search, page: '1', sort: 'hostname' } }, { token: admin.token })
    ).body.data.map(({ hostname }) => hostname)
  expect(await found('desk-de')).toEqual([])
  expect(await found('ärger-ÜBER')).toEqual(['ÄRGER-ÜBER-ALLES', 'ärger-über-alles-2'])
  expect(await found('abcde')).toEqual([])
  expect(await found('BC-BCD')).toEqual(['abc-bcd-cde'])
})

test('software is searched by name and vendor in a list of thousands, on every page', async () => {
  await using app = await testApp()
  const { admin, device } = await largeFleet(app)
  const id = device.deviceId
  app.db.transaction(() => {
    app.db
      .statement(
        `INSERT INTO device_reports (device_id, kind, content, content_hash, reported_at) VALUES (?, 'software', '1', '', '')`,
      )
      .run(id)
    const insert = app.db.statement(
      'INSERT INTO device_software (device_id, report, name, position, vendor) VALUES (?, 1, ?, ?, ?)',
    )
    for (let n = 0; n < 3000; n++)
      insert.run(id, `${n % 2 ? 'Tool' : 'driver'} ${n}`, n, n % 100 ? null : 'Tool Makers')
  })
  const found = async (page: number) => {
    const query = { search: 'tOOL', limit: '400', page: String(page) }
    return (await app.call(deviceSoftware, { params: { id }, query }, { token: admin.token })).body
  }
  const pages = await Promise.all([1, 2, 3, 4, 5].map(found))
  const names = pages.flatMap(({ data }) => data.map(({ name }) => name))
  expect(pages.map(({ pagination }) => pagination.total)).toEqual(Array(5).fill(1530))
  expect(new Set(names).size).toBe(1530)
  expect(names).toEqual(names.toSorted((a, b) => compare(a.toLowerCase(), b.toLowerCase())))
})

test('a search gives way to other requests after a few hundred names', async () => {
  await using app = await testApp()
  await largeFleet(app)
  const pausesOf = (steps: Generator<void, unknown>) => [...steps].length
  const never = { sql: 'instr(lower(hostname), ?) > 0', parameters: ['a name that nothing has'] }
  expect(pausesOf(countInSlices(app.db, 'devices', never))).toBeGreaterThan(4)
  for (const dir of ['asc', 'desc'] as const)
    expect(
      pausesOf(pageInSlices(app.db, never, { by: 'lastSeen', dir }, { limit: 10, offset: 0, from: null })),
    ).toBeGreaterThan(4)
})
