import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { createAuthority, createServerCertificate } from '../../server/platform/tls/issue.ts'
import { updateOwnPartner } from '../../shared/api/partners.ts'
import {
  createPsaConnection,
  deletePsaConnection,
  listPsaConnections,
  readPsaConnection,
  setPsaStatus,
  syncPsaConnection,
  testPsaConnection,
  updatePsaConnection,
} from '../../shared/api/psa.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { showFactor } from '../contract/stage.ts'
import { company, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { freePort } from '../helpers/real-appliance.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { statusAndError } from './group-kit.ts'

const secret = 'Swordfish-of-the-desk'
const freshdesk = (baseUrl = 'https://desk.acme.test') => ({ baseUrl, apiKey: secret })

async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const { admin, org } = await company(app)
  showFactor(app, admin.userId)
  const create = (body: Partial<BodyOf<typeof createPsaConnection>> = {}, token = admin.token) => {
    // Each at its own moment, because lists are sorted by it.
    app.clock.advance(1000)
    return app.call(
      createPsaConnection,
      { body: { provider: 'freshservice', name: 'Desk', orgId: org.id, credentials: freshdesk(), ...body } },
      { token },
    )
  }
  return { app, admin, org, create }
}

const member = async (app: TestApp, who: Parameters<typeof person>[1]) => {
  const found = await person(app, who)
  showFactor(app, found.id)
  return found
}

test('a connection is created, read, changed, paused and removed, and its credentials are never returned', async () => {
  const { app, admin, org, create } = await scene()
  await using _ = app
  const options = { token: admin.token }
  const made = await create({ settings: { queue: 'a', tone: 'b' } })
  const { id } = made.body
  expect([made.status, made.body]).toEqual([
    201,
    {
      id,
      orgId: org.id,
      ownerScope: 'organization',
      provider: 'freshservice',
      name: 'Desk',
      status: 'active',
      settings: { queue: 'a', tone: 'b' },
      hasCredentials: true,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      lastTestedAt: null,
      lastSyncedAt: null,
    },
  ])
  const params = { id }
  const change = (body: object) => app.call(updatePsaConnection, { params, body }, options)
  expect((await change({ settings: { queue: 'c' } })).body.settings).toEqual({ queue: 'c', tone: 'b' })
  expect(statusAndError(await change({}))).toEqual([400, 'No updates provided'])
  expect((await change({ credentials: { apiKey: null } })).status).toBe(400)
  expect((await change({ credentials: { apiKey: `${secret}-2` }, name: 'Help desk' })).body.name).toBe('Help desk')
  const paused = await app.call(setPsaStatus, { params, body: { status: 'paused' } }, options)
  expect(paused.body).toEqual({ success: true, status: 'paused' })
  expect((await app.call(setPsaStatus, { params, body: { status: 'x' as 'paused' } }, options)).status).toBe(400)
  expect(statusAndError(await app.call(syncPsaConnection, { params }, options))).toEqual([
    501,
    'PSA ticket sync is not implemented yet',
  ])
  const answers = [
    await app.call(listPsaConnections, {}, options),
    await app.call(readPsaConnection, { params }, options),
  ]
  expect((await app.call(deletePsaConnection, { params }, options)).body).toEqual({ success: true })
  expect(statusAndError(await app.call(readPsaConnection, { params }, options))).toEqual([
    404,
    'PSA connection not found',
  ])
  expect(JSON.stringify(answers)).not.toContain(secret)
  const audit = app.db.all(q.selectFrom('audit_logs').selectAll().where('action', 'like', 'psa.connection.%'))
  expect(audit.map(({ action, org_id }) => [action, org_id])).toEqual(
    ['create', 'update', 'update', 'status.update', 'delete'].map((what) => [`psa.connection.${what}`, org.id]),
  )
  expect(JSON.stringify(audit)).not.toContain(secret)
})

test('credentials are stored encrypted and cannot be moved to another connection', async () => {
  const { app, admin, create } = await scene()
  await using _ = app
  const { id } = (await create()).body
  const other = (await create({ name: 'Other' })).body
  const row = app.db.first(q.selectFrom('psa_connections').selectAll().where('id', '=', id))
  expect(JSON.stringify(row)).not.toContain(secret)
  app.db.run(q.updateTable('psa_connections').set({ credentials: row?.credentials }).where('id', '=', other.id))
  const body = { credentials: { apiKey: 'x' } }
  const moved = await app.call(updatePsaConnection, { params: { id: other.id }, body }, { token: admin.token })
  expect(moved.status).toBe(500)
})

test('a connection in use by service management cannot be removed: 409 PSA_CONNECTION_IN_USE', async () => {
  const { app, admin, create } = await scene()
  await using _ = app
  const options = { token: admin.token }
  const { id } = (await create({ ownerScope: 'partner' })).body
  const external = { serviceManagementMode: 'external', serviceManagementPsaConnectionId: id } as const
  expect((await app.call(updateOwnPartner, { body: external }, options)).status).toBe(200)
  const refused = await app.call(deletePsaConnection, { params: { id } }, options)
  expect([refused.status, refused.body.code]).toEqual([409, 'PSA_CONNECTION_IN_USE'])
  await app.call(updateOwnPartner, { body: { serviceManagementMode: 'native' } }, options)
  expect((await app.call(deletePsaConnection, { params: { id } }, options)).status).toBe(200)
})

test('the owner of a connection decides who can see and who can change it', async () => {
  const { app, admin, org, create } = await scene()
  await using _ = app
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const wide = (await create({ ownerScope: 'partner', name: 'Wide' })).body
  const own = (await create({ name: 'Own' })).body
  const far = (await create({ name: 'Far', orgId: sibling.id })).body
  expect(wide).toMatchObject({ orgId: null, ownerScope: 'partner' })
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const selected = await member(app, { email: 's@x.test', ...partner, orgAccess: 'selected', orgIds: [org.id] })
  const user = await member(app, { email: 'u@x.test', scope: 'organization', orgId: org.id, role: 'Org Admin' })
  app.db.run(
    q
      .insertInto('role_permissions')
      .columns(['role_id', 'permission_id'])
      .expression(
        q
          .selectFrom('roles')
          .innerJoin('permissions', (join) => join.onTrue())
          .select(['roles.id', 'permissions.id'])
          .where('roles.name', '=', 'Org Admin')
          .where('resource', '=', 'organizations'),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  const operator = await member(app, { email: 'o@x.test', scope: 'system' })
  const other = await otherCompany(app)
  showFactor(app, other.admin.id)
  const listed = async (token: string, query: object = {}) => {
    const { body } = await app.call(listPsaConnections, { query }, { token })
    expect(body.pagination.total).toBe(body.data.length)
    return body.data.map(({ name }) => name)
  }
  expect(await listed(admin.token)).toEqual(['Far', 'Own', 'Wide'])
  expect(await listed(admin.token, { orgId: sibling.id })).toEqual(['Far', 'Wide'])
  expect(await listed(selected.token)).toEqual(['Own', 'Wide'])
  expect(await listed(selected.token, { orgId: sibling.id })).toEqual([])
  expect(await listed(user.token)).toEqual(['Own'])
  expect(await listed(operator.token, { orgId: org.id })).toEqual(['Own'])
  expect(await listed(operator.token)).toEqual(['Far', 'Own', 'Wide'])
  expect(await listed(other.admin.token)).toEqual([])
  expect(await listed(admin.token, { provider: 'jira' })).toEqual([])
  const read = (id: string, token: string) =>
    app.call(readPsaConnection, { params: { id } }, { token }).then(statusAndError)
  const missing = [404, 'PSA connection not found']
  for (const [id, token] of [
    [far.id, selected.token],
    [wide.id, user.token],
    [wide.id, other.admin.token],
    ['x', admin.token],
  ] as const)
    expect(await read(id, token)).toEqual(missing)
  const rename = (id: string, token: string) =>
    app.call(updatePsaConnection, { params: { id }, body: { name: 'Renamed' } }, { token }).then(statusAndError)
  const full = 'Modifying a partner-wide policy requires full partner org access (orgAccess must be "all")'
  expect(await rename(wide.id, selected.token)).toEqual([403, full])
  expect(await rename(far.id, selected.token)).toEqual(missing)
  expect(await rename(wide.id, user.token)).toEqual(missing)
  expect(await rename(wide.id, other.admin.token)).toEqual(missing)
  expect(await rename(own.id, user.token)).toEqual([200, undefined])
  expect(await rename(wide.id, operator.token)).toEqual([200, undefined])
  expect(statusAndError(await create({ ownerScope: 'partner' }, selected.token))).toEqual([403, full])
  expect(statusAndError(await create({ ownerScope: 'partner' }, user.token))).toEqual([403, full])
  expect(statusAndError(await create({ ownerScope: 'partner' }, operator.token))).toEqual([
    400,
    'Partner context required',
  ])
  expect(statusAndError(await create({ orgId: sibling.id }, selected.token))).toEqual([403, 'Access denied'])
  const withoutOrg = { provider: 'freshservice', name: 'Desk', credentials: freshdesk() } as const
  const unnamed = (token: string) => app.call(createPsaConnection, { body: withoutOrg }, { token }).then(statusAndError)
  expect(await unnamed(admin.token)).toEqual([400, 'orgId is required'])
  expect(await unnamed(user.token)).toEqual([201, undefined])
  setOrganization(app, org.id, { status: 'suspended' })
  expect(statusAndError(await create())[0]).toBe(409)
  setOrganization(app, org.id, { status: 'archived' })
  expect(await rename(own.id, admin.token)).toEqual([409, 'The organization is archived; restore it first'])
  expect(await listed(admin.token)).toEqual(['Far', 'Renamed'])
})

/** A ticket system that speaks HTTPS with a certificate this process trusts. */
async function desk(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const authority = await createAuthority(Date.now())
  const pair = await createServerCertificate(authority, { dns: ['localhost'], ip: ['127.0.0.1'] }, Date.now())
  setDefaultCACertificates([...trusted, authority.certificate.toString()])
  const server = createServer({ key: pair.key, cert: pair.certificate.toString() }, answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
const trusted = getCACertificates()
afterAll(() => setDefaultCACertificates(trusted))

/** Allows the addresses of this machine, as for a ticket system behind a tunnel. */
const withTunnel = { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' }

async function tested(baseUrl: string, more: Partial<BodyOf<typeof createPsaConnection>> = {}) {
  const { app, admin, create } = await scene(withTunnel)
  await using _ = app
  const { id } = (await create({ credentials: freshdesk(baseUrl), ...more })).body
  const { status, body } = await app.call(testPsaConnection, { params: { id } }, { token: admin.token })
  expect(status).toBe(200)
  const after = await app.call(readPsaConnection, { params: { id } }, { token: admin.token })
  expect(after.body.data.lastTestedAt).toEqual(expect.any(String))
  expect(auditOf(app, 'psa.connection.test').map(({ details }) => details)).toEqual([{ success: body.success }])
  expect(JSON.stringify(body)).not.toContain(secret)
  return body
}

test('a test requests something that needs valid credentials', async () => {
  const asked: IncomingMessage[] = []
  await using server = await desk((request, response) => {
    asked.push(request)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  expect(await tested(`${server.baseUrl}/desk/`)).toEqual({ success: true, message: expect.any(String) })
  expect(asked[0]?.url).toBe('/desk/api/v2/tickets?per_page=1')
  expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from(`${secret}:X`).toString('base64')}`)
  const credentials = { baseUrl: server.baseUrl, personalAccessToken: secret }
  expect((await tested('', { provider: 'jira', credentials })).success).toBe(true)
  expect(asked[1]?.headers.authorization).toBe(`Bearer ${secret}`)
})

test('a server that refuses, redirects or answers at length reveals only its status', async () => {
  let asked = 0
  let status = 401
  await using server = await desk((_, response) => {
    asked++
    const headers = { location: `https://127.0.0.1:1/stolen?key=${secret}` }
    response.writeHead(status, headers).end(`inner secrets of the network ${'x'.repeat(1_000_000)}`)
  })
  for (const [answer, words] of [
    [401, 'credentials'],
    [302, 'elsewhere'],
    [500, 'answered 500'],
  ] as const) {
    status = answer
    const result = await tested(server.baseUrl)
    expect(result).toEqual({ success: false, error: expect.stringContaining(words) })
    expect(JSON.stringify(result)).not.toContain('inner secrets')
  }
  expect(asked).toBe(3)
})

/** Accepts connections and answers in another protocol, or not at all. */
async function port(greet: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    greet(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('all failures to reach a server give the same message', async () => {
  await using unknown = await desk((_, response) => response.end('{}'))
  setDefaultCACertificates(trusted)
  await using silent = await port(() => {})
  await using otherProtocol = await port((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'))
  await using closing = await port((socket) => socket.destroy())
  const nothing = `https://127.0.0.1:${await freePort()}`
  const noName = 'https://desk.invalid'
  const { app, admin, create } = await scene({ ...withTunnel, HOMEPORT_LIMIT_PSA_TEST: '0/60' })
  await using _ = app
  const addresses = [unknown.baseUrl, silent.baseUrl, otherProtocol.baseUrl, closing.baseUrl, nothing, noName]
  const answers = await Promise.all(
    addresses.map(async (baseUrl) => {
      const { id } = (await create({ credentials: freshdesk(baseUrl) })).body
      const { status, body } = await app.call(testPsaConnection, { params: { id } }, { token: admin.token })
      return { status, body }
    }),
  )
  const error = 'The server cannot be reached. Check its address, its port and its certificate.'
  expect(answers).toEqual(addresses.map(() => ({ status: 200, body: { success: false, error } })))
  expect(auditOf(app, 'psa.connection.test').map(({ details }) => details)).toEqual(
    addresses.map(() => ({ success: false })),
  )
})

test.each([
  'https://127.0.0.1',
  'https://localhost:8443',
  'https://desk.localhost',
  'https://2130706433',
  'https://[::1]',
  'https://[::]',
  'https://[::ffff:127.0.0.1]',
  'https://0.0.0.0',
  'https://169.254.1.1',
  'https://169.254.169.254/latest',
  'https://[fe80::1]',
  'https://[fd00:ec2::254]',
  'https://[::ffff:a9fe:a9fe]',
  'https://100.100.100.200',
])('%s is refused as the address of a ticket system', async (baseUrl) => {
  const { app, admin, create } = await scene()
  await using _ = app
  const { id } = (await create({ credentials: freshdesk('https://10.0.0.7') })).body
  const before = app.rowCounts()
  const change = app.call(
    updatePsaConnection,
    { params: { id }, body: { credentials: freshdesk(baseUrl) } },
    { token: admin.token },
  )
  for (const { status, body } of [await create({ credentials: freshdesk(baseUrl) }), await change])
    expect([status, body.details]).toEqual([
      400,
      { formErrors: [], fieldErrors: { credentials: [expect.stringContaining('the appliance itself')] } },
    ])
  expect(app.rowCounts()).toEqual(before)
})

test.each(['https://192.168.1.5:8443', 'https://10.1.2.3', 'https://172.16.0.1', 'https://[fd12:3456::1]'])(
  '%s is accepted as the address of a ticket system',
  async (baseUrl) => {
    const { app, create } = await scene()
    await using _ = app
    expect((await create({ credentials: freshdesk(baseUrl) })).status).toBe(201)
  },
)

test('tests of a connection are rate limited', async () => {
  const { app, admin, create } = await scene({ ...withTunnel, HOMEPORT_LIMIT_PSA_TEST: '2/60' })
  await using _ = app
  const { id } = (await create({ credentials: freshdesk(`https://127.0.0.1:${await freePort()}`) })).body
  const once = () => app.call(testPsaConnection, { params: { id } }, { token: admin.token })
  const statuses = (await Promise.all([once(), once(), once()])).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 200, 429])
})
