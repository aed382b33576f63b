import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import { actionLabels, resourceLabels } from '../../shared/permissions.ts'
import { testApp } from '../helpers/test-app.ts'
import { bodyOf, isStream, paramsOf, queryOf, send } from './kit.ts'
import { callerOf, keepSignedIn, twoCompanies, withoutLimits } from './stage.ts'

const tablesShown = [
  'users',
  'user_passkeys',
  'sessions',
  'roles',
  'partner_users',
  'partners',
  'organizations',
  'sites',
  'contacts',
  'devices',
  'enrollment_keys',
  'api_keys',
  'device_commands',
  'device_groups',
  'device_group_members',
  'psa_connections',
  'sso_providers',
  'sso_verified_domains',
  'partner_login_branding',
  'tasks',
]
/** Keys of the catalogue that are words of the specification. */
const partsOfPermissions = { ...resourceLabels, ...actionLabels }
const jsonEndpoints = allEndpoints.filter(({ content, status }) => !content && status !== 302)

/** Every key of a value, however deep. */
const keysIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [...(Array.isArray(value) ? [] : [key]), ...keysIn(inner)])

test('every reply has the shape its contract promises and contains no hash', async () => {
  await using app = await testApp({ env: withoutLimits })
  const { own, operator, ids } = await twoCompanies(app)
  const stay = keepSignedIn(app, own.admin.userId)
  app.app.start()
  const beat = {
    status: 'ok',
    agentVersion: '0.1.0',
    metrics: { cpuPercent: 3, ramPercent: 4, ramUsedMb: 5, diskPercent: 6, diskUsedGb: 7 },
  }
  await app.call(
    heartbeat,
    { params: { agentId: own.device.agentId }, body: beat as never },
    { token: own.device.authToken },
  )
  await app.app.telemetry.flush()
  const refused: string[] = []
  const safeFirst = [...jsonEndpoints].sort((a, b) => Number(a.method !== 'GET') - Number(b.method !== 'GET'))
  for (const endpoint of safeFirst) {
    const token = endpoint.access.who === 'agent' ? own.device.authToken : callerOf(endpoint, { own, operator })
    const request = {
      params: paramsOf(endpoint, ids),
      query: queryOf(endpoint, ids),
      body: bodyOf(endpoint, ids),
      token,
    }
    const answer = await send(app, endpoint, request)
    stay()
    const keys = keysIn(answer.body)
    expect(
      // That of an encryption key is how people tell keys apart.
      keys.filter((key) => /hash$/i.test(key) && key !== 'keyHash'),
      endpoint.name,
    ).toEqual([])
    expect(
      keys.filter((key) => /_/.test(key) && !(key in partsOfPermissions)),
      `${endpoint.name} shows a column`,
    ).toEqual([])
    if (answer.status !== endpoint.status) {
      if (endpoint.method === 'GET') refused.push(endpoint.name)
      continue
    }
    const parsed = endpoint.reply.safeParse(answer.body)
    expect(parsed.error?.issues ?? [], endpoint.name).toEqual([])
    const caching = endpoint.name === 'auth.login-context' ? 'public, max-age=60' : 'no-store'
    expect(answer.response.headers['cache-control'], endpoint.name).toBe(caching)
  }
  // A signed installer is what the appliance does not offer, the first is there to refuse; nobody knows the files of the
  // snapshot, see test/flows/backup-files.test.ts.
  expect(refused.toSorted()).toEqual([
    'auth.invite-preview-by-url',
    'backup-snapshots.compare',
    'backup-snapshots.folder',
    'enrollment-keys.installer',
  ])
})

test('a reply that is not JSON has the content type its contract names', async () => {
  await using app = await testApp()
  const { own, ids } = await twoCompanies(app)
  // A backup is a copy of files, and this app has none; nor has it a program, the token of a device, or a download that waits.
  const isTestedElsewhere = ({ name }: { name: string }) =>
    ['system.download-backup', 'agents.component-file', 'backup-downloads.fetch'].includes(name)
  const texts = allEndpoints.filter(
    (endpoint) => endpoint.content && !isStream(endpoint) && !isTestedElsewhere(endpoint),
  )
  for (const endpoint of texts) {
    const { status, response } = await send(app, endpoint, { params: paramsOf(endpoint, ids), token: own.admin.token })
    // Neither an agent was built nor an authority opened in this test.
    if (status === 404) expect(['system.agent-file', 'system.ca-certificate']).toContain(endpoint.name)
    else
      expect(String(response.headers['content-type']), endpoint.name).toContain(String(endpoint.content).split(';')[0])
  }
})

test('a column added to a table appears in no reply', async () => {
  await using app = await testApp()
  const { own, operator, ids } = await twoCompanies(app)
  const stay = keepSignedIn(app, own.admin.userId)
  for (const table of tablesShown)
    app.db.statement(`ALTER TABLE ${table} ADD COLUMN brand_new TEXT DEFAULT 'leaked-column'`).run()
  expect(app.db.first(q.selectFrom('devices').selectAll().limit(1))).toHaveProperty('brand_new', 'leaked-column')
  for (const endpoint of jsonEndpoints.filter(({ access }) => access.who === 'user')) {
    if (endpoint.method === 'DELETE') continue
    const token = callerOf(endpoint, { own, operator })
    const request = { params: paramsOf(endpoint, ids), body: bodyOf(endpoint, ids), token }
    const { text } = await send(app, endpoint, request)
    stay()
    expect(text, endpoint.name).not.toContain('leaked-column')
    expect(text, endpoint.name).not.toMatch(/brand_?new/i)
  }
})
