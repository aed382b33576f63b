import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'

/** Organizations written straight to the tables: creating five thousand of them by the API would take too long. */
export interface SeededOrganization {
  id: string
  name: string
  sites: { id: string; name: string; deviceIds: string[] }[]
}

const first = ['Harbour', 'Lantern', 'Alder', 'Copper', 'Meadow', 'Granite', 'Willow', 'Falcon', 'Juniper', 'Beacon']
const second = ['Logistics', 'Dental', 'Law', 'Bakery', 'Studio', 'Motors', 'Foods', 'Clinic', 'School', 'Works']
const siteNames = ['Head office', 'Warehouse', 'Branch']

/** Named from `Harbour Logistics 1`, slugs from `org-1`, oldest first; the first twenty have `sites` of two devices. */
export function seedOrganizations(
  db: Database,
  amount: number,
  { sites = 3, slugs = 'org' } = {},
): SeededOrganization[] {
  const { id: partnerId } = db.first(q.selectFrom('partners').select('id')) as { id: string }
  const begin = Date.now() - amount * 1000
  return db.transaction(() =>
    Array.from({ length: amount }, (_, n) => {
      const id = randomUUIDv7()
      const name = `${first[n % 10]} ${second[Math.floor(n / 10) % 10]} ${n + 1}`
      const stamps = stampsAt(begin + n * 1000)
      db.run(
        q
          .insertInto('organizations')
          .values({ id, partner_id: partnerId, name, slug: `${slugs}-${n + 1}`, currency_code: 'EUR', ...stamps }),
      )
      const places =
        n < 20 ? siteNames.slice(0, sites).map((site, s) => seedSite(db, id, site, stampsAt(begin + n * 1000 + s))) : []
      return { id, name, sites: places }
    }),
  )
}

function stampsAt(ms: number) {
  const at = new Date(ms).toISOString()
  return { created_at: at, updated_at: at }
}

function seedSite(db: Database, orgId: string, name: string, stamps: ReturnType<typeof stampsAt>) {
  const id = randomUUIDv7()
  db.run(q.insertInto('sites').values({ id, org_id: orgId, name, timezone: 'Europe/Berlin', ...stamps }))
  const deviceIds = [1, 2].map((n) => {
    const deviceId = randomUUIDv7()
    db.run(
      q.insertInto('devices').values({
        id: deviceId,
        org_id: orgId,
        site_id: id,
        agent_id: randomUUIDv7(),
        hostname: `${name.toLowerCase().replace(' ', '-')}-pc-${n}`,
        os_type: 'windows',
        status: 'offline',
        enrolled_at: stamps.created_at,
        ...stamps,
      }),
    )
    return deviceId
  })
  return { id, name, deviceIds }
}

export function seedGroup(db: Database, orgId: string, siteId: string | null, name: string, deviceIds: string[]) {
  const id = randomUUIDv7()
  const at = new Date().toISOString()
  db.transaction(() => {
    db.run(
      q
        .insertInto('device_groups')
        .values({ id, org_id: orgId, site_id: siteId, name, created_at: at, updated_at: at }),
    )
    for (const deviceId of deviceIds)
      db.run(
        q
          .insertInto('device_group_members')
          .values({ group_id: id, device_id: deviceId, added_by: 'manual', added_at: at }),
      )
  })
}
