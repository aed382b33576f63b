import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listApiKeys, readApiKey } from '../../shared/api/api-keys.ts'
import { listAuditEntries, listAuditEvents, readAuditEvent } from '../../shared/api/audit-log.ts'
import { listContacts } from '../../shared/api/contacts.ts'
import { listDeviceGroups, listGroupDevices, readDeviceGroup } from '../../shared/api/device-groups.ts'
import { listDevices, readDevice } from '../../shared/api/devices.ts'
import { listEnrollmentKeys, readEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { listOrganizations, listOrganizationTree, readOrganization } from '../../shared/api/organizations.ts'
import { search } from '../../shared/api/search.ts'
import { listSites, readSite } from '../../shared/api/sites.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { times } from '../helpers/thorough.ts'
import { type Caller, callerPlan, signedIn } from './caller.ts'
import {
  isAdmitted,
  isGranted,
  seesContact,
  seesDevice,
  seesEvent,
  seesGroup,
  seesKey,
  seesLog,
  seesOrganization,
  seesSite,
} from './model.ts'
import { type Event, plant, type Tree, treePlan } from './tree.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const sorted = (rows: readonly { id: string }[]) => ids(rows).sort()

/** Every page of a list, two rows at a time: no row twice, none left out, however many share one instant. */
async function allPages(
  endpoint: Endpoint,
  token: string,
  params: Record<string, string> = {},
  filters: Record<string, string> = {},
): Promise<string[]> {
  const seen: string[] = []
  for (let page = 1; page < 40; page++) {
    const query = { ...filters, page: `${page}`, limit: '2' }
    const { status, body } = await app.call(endpoint, { params, query }, { token })
    expect(status, endpoint.name).toBe(200)
    const { data, pagination } = body as { data: { id: string }[]; pagination: { total?: number } }
    seen.push(...ids(data))
    if (data.length < 2) {
      if (pagination.total !== undefined) expect(pagination.total, endpoint.name).toBe(seen.length)
      return seen
    }
  }
  throw new Error(`${endpoint.name} has no last page`)
}

async function compareLists(tree: Tree, caller: Caller): Promise<void> {
  const { token } = caller
  const orgs = sorted(tree.orgs.filter((org) => seesOrganization(caller, org)))
  const { body } = await app.call(listOrganizationTree, {}, { token })
  expect(sorted(body.data ?? []), 'organizations by name').toEqual(orgs)
  if (caller.scope !== 'organization')
    expect((await allPages(listOrganizations, token)).sort(), 'organizations').toEqual(orgs)
  expect((await allPages(listSites, token)).sort(), 'sites').toEqual(
    sorted(tree.sites.filter((site) => seesSite(caller, site))),
  )
  expect((await allPages(listDevices, token)).sort(), 'devices').toEqual(
    sorted(tree.devices.filter((device) => seesDevice(caller, device))),
  )
  expect((await allPages(listEnrollmentKeys, token)).sort(), 'keys').toEqual(
    sorted(tree.keys.filter((key) => seesKey(caller, key))),
  )
  expect((await allPages(listApiKeys, token)).sort(), 'API keys').toEqual(
    sorted(tree.apiKeys.filter(({ org }) => seesOrganization(caller, org))),
  )
}

async function compareGroups(tree: Tree, caller: Caller): Promise<void> {
  const groups = await app.call(listDeviceGroups, { query: { includeMemberships: 'true' } }, caller)
  const seen = tree.groups.filter((group) => seesGroup(caller, group))
  const members = ({ id }: { id: string }) =>
    tree.devices.filter((device) => device.groupIds.includes(id) && seesDevice(caller, device))
  expect(groups.status, 'groups').toBe(200)
  expect(sorted(groups.body.data), 'groups').toEqual(sorted(seen))
  for (const { id, deviceIds, deviceCount } of groups.body.data) {
    expect([...(deviceIds ?? [])].sort(), 'members of a group').toEqual(sorted(members({ id })))
    expect(deviceCount, 'size of a group').toBe(members({ id }).length)
  }
  for (const group of tree.groups) {
    const { status, body } = await app.call(listGroupDevices, { params: { id: group.id } }, caller)
    if (!seesGroup(caller, group)) expect([403, 404], 'devices of a group').toContain(status)
    else expect(body.data.map(({ deviceId }) => deviceId).sort(), 'devices of a group').toEqual(sorted(members(group)))
  }
}

async function compareContacts(tree: Tree, caller: Caller): Promise<void> {
  for (const org of tree.orgs) {
    const params = { id: org.id }
    if (!seesOrganization(caller, org)) {
      expect((await app.call(listContacts, { params }, caller)).status, 'contacts').toBe(404)
      continue
    }
    const seen = tree.contacts.filter((contact) => contact.org === org && seesContact(caller, contact))
    expect((await allPages(listContacts, caller.token, params)).sort(), 'contacts').toEqual(sorted(seen))
  }
}

async function compareLog(tree: Tree, caller: Caller): Promise<void> {
  const newestFirst = (events: readonly Event[]) =>
    ids(events.toSorted((a, b) => (`${a.timestamp} ${a.id}` < `${b.timestamp} ${b.id}` ? 1 : -1)))
  const seen = tree.events.filter((event) => seesEvent(caller, event))
  const ofTree = { resource: tree.mark }
  for (const filters of [ofTree, { ...ofTree, excludeActions: 'nothing' }])
    expect(await allPages(listAuditEvents, caller.token, {}, filters), 'the log').toEqual(newestFirst(seen))
  // Folded or not, nobody is told of more events than they see.
  const folded = await app.call(listAuditEntries, { query: { ...ofTree, limit: '100' } }, caller)
  const counted = folded.body.data.reduce((sum, entry) => sum + (entry.folded?.count ?? 1), 0)
  expect([folded.body.pagination.isLast, counted], 'the folded log').toEqual([true, seen.length])
  expect(ids(seen), 'the folded log').toEqual(expect.arrayContaining(ids(folded.body.data)))
  // Only operators see events of earlier trees.
  if (caller.scope !== 'system') {
    const { body } = await app.call(listAuditEvents, { query: { skipCount: 'true', limit: '100' } }, caller)
    expect(ids(body.data), 'the whole log').toEqual(newestFirst(seen))
  }
  for (const org of tree.orgs) {
    const query = { ...ofTree, orgId: org.id }
    const { status, body } = await app.call(listAuditEvents, { query }, caller)
    if (caller.scope !== 'system' && !seesLog(caller, org)) expect(status, 'the log of another').toBe(403)
    else if (seesLog(caller, org))
      expect(ids(body.data), 'the log of one').toEqual(newestFirst(seen.filter((event) => event.org === org)))
  }
}

/** Of more than ten it does not matter which are found. */
async function compareSearch(tree: Tree, caller: Caller): Promise<void> {
  const found = async (text: string) =>
    (await app.call(search, { query: { q: text, limit: '10' } }, { token: caller.token })).body
  const compare = (rows: readonly { id: string }[], seen: readonly { id: string }[], what: string) => {
    expect(rows.length, `search for ${what}`).toBe(Math.min(10, seen.length))
    expect(ids(seen), `search for ${what}`).toEqual(expect.arrayContaining(ids(rows)))
  }
  const { devices } = await found('pc-')
  compare(
    devices,
    tree.devices.filter((device) => seesDevice(caller, device)),
    'devices',
  )
  const { sites } = await found('Site ')
  compare(
    sites,
    tree.sites.filter((site) => seesSite(caller, site)),
    'sites',
  )
  const { contacts } = await found('Contact ')
  compare(
    contacts,
    tree.contacts.filter((contact) => seesContact(caller, contact)),
    'contacts',
  )
  const { organizations } = await found('organization')
  // Members of an organization have no list of organizations.
  const listed = caller.scope === 'organization' ? [] : tree.orgs
  compare(
    organizations,
    listed.filter((org) => seesOrganization(caller, org)),
    'organizations',
  )
}

async function compareReads(tree: Tree, caller: Caller): Promise<void> {
  const read = async <Row extends { id: string }>(
    endpoint: Endpoint,
    rows: readonly Row[],
    sees: (row: Row) => boolean,
  ) => {
    for (const row of rows) {
      const { status, body } = await app.call(endpoint, { params: { id: row.id } } as never, { token: caller.token })
      const { id, data } = body as { id?: string; data?: { id: string } }
      if (sees(row)) expect([status, id ?? data?.id], endpoint.name).toEqual([200, row.id])
      else expect([403, 404], endpoint.name).toContain(status)
    }
  }
  // An archived organization is gone from the lists, but users with access to it may still read it.
  if (caller.scope !== 'organization')
    await read(readOrganization, tree.orgs, (org) => isGranted(caller, org) && org.status !== 'purging')
  await read(readAuditEvent, tree.events, (event) => seesEvent(caller, event))
  await read(readSite, tree.sites, (site) => seesSite(caller, site))
  await read(readDeviceGroup, tree.groups, (group) => seesGroup(caller, group))
  await read(readDevice, tree.devices, (device) => seesDevice(caller, device))
  await read(readEnrollmentKey, tree.keys, (key) => seesKey(caller, key))
  await read(readApiKey, tree.apiKeys, ({ org }) => seesOrganization(caller, org))
}

test('every list and every read matches a simple model, for every kind of caller in any tree', async () => {
  await fc.assert(
    fc.asyncProperty(treePlan, fc.array(callerPlan, { minLength: 1, maxLength: 4 }), async (trees, callers) => {
      const tree = plant(app, trees)
      for (const plan of callers) {
        const caller = await signedIn(app, tree, plan)
        if (!caller) continue
        if (!isAdmitted(caller)) {
          expect((await app.call(listSites, {}, { token: caller.token })).status).toBe(403)
          continue
        }
        await compareLists(tree, caller)
        await compareContacts(tree, caller)
        await compareGroups(tree, caller)
        await compareSearch(tree, caller)
        await compareLog(tree, caller)
        await compareReads(tree, caller)
      }
    }),
    { numRuns: times(100, 30) },
  )
})
