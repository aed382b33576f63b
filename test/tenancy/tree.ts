import { randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { iso, minute } from '../../server/platform/clock.ts'
import type { TestApp } from '../helpers/test-app.ts'

/** Small trees of tenants as fast-check makes them up, and as they stand in the tables. */

const statuses = ['active', 'trial', 'suspended', 'churned', 'offboarding', 'merging', 'archived', 'purging'] as const

const place = fc.option(fc.nat({ max: 1 }), { nil: null })
const organizationPlan = fc.record({
  status: fc.oneof({ weight: 3, arbitrary: fc.constant('active' as const) }, fc.constantFrom(...statuses)),
  isDeleted: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
  sites: fc.array(fc.nat({ max: 2 }), { maxLength: 2 }),
  groups: fc.array(fc.record({ site: place, members: fc.array(fc.nat({ max: 3 }), { maxLength: 2 }) }), {
    maxLength: 2,
  }),
  contacts: fc.array(place, { maxLength: 2 }),
  keys: fc.array(place, { maxLength: 1 }),
  // Those from before events of an organization named its partner do not.
  events: fc.array(fc.record({ isOld: fc.boolean(), minute: fc.nat({ max: 3 }) }), { maxLength: 2 }),
})
const partnerPlan = fc.record({
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant('active' as const) },
    fc.constantFrom('pending' as const, 'suspended' as const, 'churned' as const, 'offboarding' as const),
  ),
  organizations: fc.array(organizationPlan, { maxLength: 3 }),
  events: fc.array(fc.record({ minute: fc.nat({ max: 3 }) }), { maxLength: 2 }),
})
export const treePlan = fc.array(partnerPlan, { minLength: 1, maxLength: 2 })
export type TreePlan = typeof treePlan extends fc.Arbitrary<infer T> ? T : never

export interface Partner {
  id: string
  status: TreePlan[number]['status']
}
export interface Organization {
  id: string
  partner: Partner
  status: (typeof statuses)[number]
  isDeleted: boolean
}
export interface Placed {
  id: string
  org: Organization
  siteId: string | null
}
export interface Device extends Placed {
  siteId: string
  groupIds: string[]
}
/** In the audit log; of nothing but the appliance, of a partner, or of an organization. */
export interface Event {
  id: string
  timestamp: string
  partner: Partner | null
  org: Organization | null
}
export interface Tree {
  partners: Partner[]
  orgs: Organization[]
  sites: Placed[]
  devices: Device[]
  groups: Placed[]
  contacts: Placed[]
  keys: Placed[]
  /** One of each organization. */
  apiKeys: Pick<Placed, 'id' | 'org'>[]
  /** Each names the tree as the type of its resource. */
  events: Event[]
  mark: string
}

const emptied = [
  'device_group_members',
  'device_groups',
  'contacts',
  'devices',
  'enrollment_keys',
  'api_keys',
  'sessions',
  'organization_users',
  'partner_users',
  'sites',
  'role_permissions',
  'roles',
  'organizations',
  'partners',
] as const

/** Replaces all tenants of the appliance by the planned ones. */
export function plant(app: TestApp, plan: TreePlan): Tree {
  const now = iso(app.clock.now())
  const stamps = { created_at: now, updated_at: now }
  const tree: Tree = {
    partners: [],
    orgs: [],
    sites: [],
    devices: [],
    groups: [],
    contacts: [],
    apiKeys: [],
    keys: [],
    events: [],
    mark: randomUUIDv7(),
  }
  app.db.transaction(() => {
    for (const table of emptied) if (table !== 'roles' && table !== 'role_permissions') app.db.run(q.deleteFrom(table))
    for (const { status, organizations, events } of plan) {
      const partner: Partner = { id: randomUUIDv7(), status }
      tree.partners.push(partner)
      app.db.run(
        q.insertInto('partners').values({ id: partner.id, name: 'Partner', slug: partner.id, status, ...stamps }),
      )
      for (const org of organizations) plantOrganization(app, tree, partner, org, stamps)
      for (const { minute } of events) plantEvent(app, tree, { partner, org: null }, minute)
    }
    plantEvent(app, tree, { partner: null, org: null }, 1)
  })
  return tree
}

/** The log only grows: what trees before have left is told by their mark. */
function plantEvent({ db, clock }: TestApp, tree: Tree, owner: Pick<Event, 'partner' | 'org'>, minutes: number): void {
  const event = { id: randomUUIDv7(), timestamp: iso(clock.now() + minutes * minute), ...owner }
  tree.events.push(event)
  db.run(
    q.insertInto('audit_logs').values({
      id: event.id,
      timestamp: event.timestamp,
      org_id: owner.org?.id ?? null,
      partner_id: owner.partner?.id ?? null,
      actor_type: 'system',
      actor_id: event.id,
      action: 'test.done',
      resource_type: tree.mark,
      details: toJson({}),
      result: 'success',
      initiated_by: 'automation',
      checksum: event.id,
    }),
  )
}

type Stamps = { created_at: string; updated_at: string }

function plantOrganization(
  app: TestApp,
  tree: Tree,
  partner: Partner,
  plan: TreePlan[number]['organizations'][number],
  stamps: Stamps,
): void {
  const { db } = app
  const org: Organization = { id: randomUUIDv7(), partner, status: plan.status, isDeleted: plan.isDeleted }
  tree.orgs.push(org)
  db.run(
    q.insertInto('organizations').values({
      id: org.id,
      partner_id: partner.id,
      name: `Organization ${org.id}`,
      slug: org.id,
      status: org.status,
      deleted_at: org.isDeleted ? stamps.created_at : null,
      ...stamps,
    }),
  )
  const sites = plan.sites.map((): Placed => {
    const id = randomUUIDv7()
    return { id, org, siteId: id }
  })
  for (const { id } of sites)
    db.run(q.insertInto('sites').values({ id, org_id: org.id, name: `Site ${id}`, ...stamps }))
  const devices = plan.sites.flatMap((count, at) =>
    Array.from(
      { length: count },
      (): Device => ({ id: randomUUIDv7(), org, siteId: sites[at]?.id ?? '', groupIds: [] }),
    ),
  )
  for (const { id, siteId } of devices)
    db.run(
      q.insertInto('devices').values({
        id,
        org_id: org.id,
        site_id: siteId,
        agent_id: id,
        hostname: `pc-${id}`,
        os_type: 'linux',
        status: 'offline',
        ...stamps,
      }),
    )
  const siteAt = (at: number | null) => (at === null ? null : (sites[at]?.id ?? null))
  const groups = plan.groups.map(({ site, members }): Placed => {
    const id = randomUUIDv7()
    const siteId = siteAt(site)
    db.run(
      q.insertInto('device_groups').values({ id, org_id: org.id, site_id: siteId, name: `Group ${id}`, ...stamps }),
    )
    for (const device of new Set(members.map((at) => devices[at])))
      if (device && (siteId === null || device.siteId === siteId)) {
        device.groupIds.push(id)
        db.run(
          q
            .insertInto('device_group_members')
            .values({ group_id: id, device_id: device.id, added_by: 'manual', added_at: stamps.created_at }),
        )
      }
    return { id, org, siteId }
  })
  const contacts = plan.contacts.map((at): Placed => {
    const contact = { id: randomUUIDv7(), org, siteId: siteAt(at) }
    const values = { id: contact.id, org_id: org.id, site_id: contact.siteId, name: `Contact ${contact.id}`, ...stamps }
    db.run(q.insertInto('contacts').values(values))
    return contact
  })
  const keys = plan.keys.map((at): Placed => {
    const key = { id: randomUUIDv7(), org, siteId: siteAt(at) }
    const values = { id: key.id, org_id: org.id, site_id: key.siteId, name: 'key', key: key.id.slice(0, 64) }
    db.run(q.insertInto('enrollment_keys').values({ ...values, created_at: stamps.created_at }))
    return key
  })
  tree.apiKeys.push(plantApiKey(app, org, stamps))
  for (const { isOld, minute } of plan.events) plantEvent(app, tree, { partner: isOld ? null : partner, org }, minute)
  tree.sites.push(...sites)
  tree.devices.push(...devices)
  tree.groups.push(...groups)
  tree.contacts.push(...contacts)
  tree.keys.push(...keys)
}

function plantApiKey(app: TestApp, org: Organization, stamps: { created_at: string; updated_at: string }) {
  const [id, creator] = [randomUUIDv7(), randomUUIDv7()]
  const user = { id: creator, email: `${creator}@x.test`, name: 'Creator', status: 'disabled' } as const
  app.db.run(q.insertInto('users').values({ ...user, ...stamps }))
  const made = { org_id: org.id, created_by: creator, name: `Key ${id}`, key_hash: id, key_prefix: 'svc_abcdefgh' }
  app.db.run(q.insertInto('api_keys').values({ id, ...made, ...stamps }))
  return { id, org }
}
