import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queueCommand } from '../../shared/api/commands.ts'
import { createContact, deleteContact, updateContact } from '../../shared/api/contacts.ts'
import {
  addGroupDevices,
  createDeviceGroup,
  deleteDeviceGroup,
  updateDeviceGroup,
} from '../../shared/api/device-groups.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import { createEnrollmentKey, deleteEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { updateOrganization } from '../../shared/api/organizations.ts'
import { createSite, updateSite } from '../../shared/api/sites.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { times } from '../helpers/thorough.ts'
import { type Caller, callerPlan, signedIn } from './caller.ts'
import {
  isAdmitted,
  mayEdit,
  mayOperate,
  seesContact,
  seesDevice,
  seesGroup,
  seesKey,
  seesOrganization,
  seesSite,
} from './model.ts'
import { type Change, changesSince, idsOutOf, snapshot } from './rows.ts'
import { type Organization, plant, type Tree, treePlan } from './tree.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app[Symbol.asyncDispose]())

interface Attempt {
  endpoint: Endpoint
  params?: { id: string; contactId?: string }
  body?: object
  org: Organization
  /** Whether the caller may see the named row by the model, whatever the state of its organization. */
  isSeen: boolean
}

const isConfined = (caller: Caller) => caller.scope === 'organization' && caller.sites !== null
/** They could not see a group or a key that they make. */
const isBlindToNew = (caller: Caller) =>
  isConfined(caller) || (caller.scope === 'organization' && caller.groups !== null)

/** Every kind of write on every row of the tree. */
const attempts = (tree: Tree, caller: Caller): Attempt[] => [
  ...tree.orgs.flatMap((org): Attempt[] => {
    const isSeen = seesOrganization(caller, org)
    return [
      ...(caller.scope === 'organization'
        ? []
        : [{ endpoint: updateOrganization, params: { id: org.id }, body: { name: 'Renamed' }, org, isSeen }]),
      { endpoint: createContact, params: { id: org.id }, body: { name: 'New' }, org, isSeen },
      {
        endpoint: createDeviceGroup,
        body: { orgId: org.id, name: 'New' },
        org,
        isSeen: isSeen && !isBlindToNew(caller),
      },
      { endpoint: createSite, body: { orgId: org.id, name: 'New' }, org, isSeen: isSeen && !isConfined(caller) },
      {
        endpoint: createEnrollmentKey,
        body: { orgId: org.id, name: 'new', maxUsage: 1 },
        org,
        isSeen: isSeen && !isBlindToNew(caller),
      },
    ]
  }),
  ...tree.sites.map((site) => ({
    endpoint: updateSite,
    params: { id: site.id },
    body: { name: 'Renamed' },
    org: site.org,
    isSeen: seesSite(caller, site),
  })),
  ...tree.devices.flatMap((device) => {
    const [org, isSeen, params] = [device.org, seesDevice(caller, device), { id: device.id }]
    return [
      { endpoint: updateDevice, params, body: { displayName: 'Renamed' }, org, isSeen },
      { endpoint: queueCommand, params, body: { type: 'reboot' }, org, isSeen },
    ]
  }),
  ...tree.groups.flatMap((group) => {
    // Callers confined to groups may not change groups.
    const isOpen = seesGroup(caller, group) && !(caller.scope === 'organization' && caller.groups !== null)
    const [org, isSeen, params] = [group.org, isOpen, { id: group.id }]
    const device = tree.devices.find(
      (one) => one.org === org && (group.siteId === null || one.siteId === group.siteId) && seesDevice(caller, one),
    )
    return [
      { endpoint: updateDeviceGroup, params, body: { name: 'Renamed' }, org, isSeen },
      ...(device ? [{ endpoint: addGroupDevices, params, body: { deviceIds: [device.id] }, org, isSeen }] : []),
      { endpoint: deleteDeviceGroup, params, org, isSeen },
    ]
  }),
  ...tree.contacts.flatMap((contact) => {
    const [org, isSeen, params] = [contact.org, seesContact(caller, contact), { id: contact.id, contactId: contact.id }]
    return [
      { endpoint: updateContact, params, body: { title: 'Renamed' }, org, isSeen },
      { endpoint: deleteContact, params, org, isSeen },
    ]
  }),
  ...tree.keys.map((key) => ({
    endpoint: deleteEnrollmentKey,
    params: { id: key.id },
    org: key.org,
    isSeen: seesKey(caller, key),
  })),
]

/** Changed rows that belong to a tenant or a device must belong to one the caller sees. */
function assertWithin(tree: Tree, caller: Caller, changes: readonly Change[], name: string): void {
  const seen = new Set([
    ...tree.orgs.filter((org) => seesOrganization(caller, org)).map(({ id }) => id),
    ...tree.sites.filter((site) => seesSite(caller, site)).map(({ id }) => id),
    ...tree.devices.filter((device) => seesDevice(caller, device)).map(({ id }) => id),
  ])
  for (const { table, owners } of changes)
    for (const owner of owners) expect(seen.has(owner), `${name} touched ${table} of ${owner}`).toBe(true)
}

async function tryIt(tree: Tree, caller: Caller, attempt: Attempt): Promise<void> {
  const { endpoint, params, body, org, isSeen } = attempt
  const before = snapshot(app.db)
  const input = { ...(params && { params }), ...(body && { body }) } as never
  const answer = await app.call(endpoint, input, { token: caller.token })
  const changes = changesSince(before, app.db)
  const name = `${endpoint.name} on ${org.status}`
  assertWithin(tree, caller, changes, name)
  const sent = new Set([params?.id, ...(body ? Object.values(body) : [])])
  const hidden = idsOutOf(tree, caller).filter((id) => !sent.has(id))
  const text = JSON.stringify(answer.body)
  expect(
    hidden.filter((id) => text.includes(id)),
    `${name} told of`,
  ).toEqual([])
  if (isSeen && mayOperate(org)) expect(answer.status, `${name}: ${text}`).toBeLessThan(300)
  if (!isSeen || !mayEdit(org)) {
    expect(answer.status, name).toBeGreaterThanOrEqual(400)
    expect(changes, name).toEqual([])
  }
}

test('no call changes or reveals a row out of reach, and rows in reach can be worked with', async () => {
  await fc.assert(
    fc.asyncProperty(treePlan, callerPlan, async (trees, plan) => {
      const tree = plant(app, trees)
      const caller = await signedIn(app, tree, plan)
      if (!caller || !isAdmitted(caller)) return
      for (const attempt of attempts(tree, caller)) await tryIt(tree, caller, attempt)
    }),
    { numRuns: times(100, 40) },
  )
})
