import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import { CommandLedger } from '../../server/features/commands/ledger.ts'
import { Removals } from '../../server/features/commands/removals.ts'
import { DeviceSync } from '../../server/features/lifecycle/device-sync.ts'
import { Drains } from '../../server/features/lifecycle/drains.ts'
import { LifecycleEffects } from '../../server/features/lifecycle/lifecycle-effects.ts'
import { OrganizationLife } from '../../server/features/lifecycle/organization-life.ts'
import { PartnerLife } from '../../server/features/lifecycle/partner-life.ts'
import { createAudit } from '../../server/platform/audit.ts'
import { hour, isoNow } from '../../server/platform/clock.ts'
import { LiveEvents } from '../../server/platform/live.ts'
import { silentLog } from '../../server/platform/log.ts'
import { Signal } from '../../server/platform/signal.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { testSeal } from '../helpers/seal.ts'
import { freshDatabase } from '../helpers/test-app.ts'
import { times } from '../helpers/thorough.ts'
import type { OrganizationStatus, PartnerStatus } from './offboarding-kit.ts'

/** Any sequence of changes: the commands and rights of devices follow from the status of their tenant. */

const orgStatuses = ['active', 'trial', 'suspended', 'churned', 'offboarding'] as const
const partnerStatuses = ['pending', 'active', 'suspended', 'churned', 'offboarding'] as const
const orgIds = ['org-a', 'org-b']
const devices = orgIds.flatMap((org) => [`${org}-1`, `${org}-2`])

type Step =
  | { do: 'organization'; id: string; to: OrganizationStatus }
  | { do: 'partner'; to: PartnerStatus }
  | { do: 'collect' | 'leave' | 'fail'; device: string }
  | { do: 'sweep'; afterHours: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('organization' as const),
      id: fc.constantFrom(...orgIds),
      to: fc.constantFrom(...orgStatuses),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('partner' as const), to: fc.constantFrom(...partnerStatuses) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('collect' as const, 'leave' as const, 'fail' as const),
      device: fc.constantFrom(...devices),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const), afterHours: fc.constantFrom(0, 1, 72) }) },
)

function world() {
  const db = freshDatabase()
  const clock = new FakeClock()
  const stamps = { created_at: isoNow(clock), updated_at: isoNow(clock) }
  db.run(q.insertInto('partners').values({ id: 'partner', name: 'P', slug: 'p', status: 'active', ...stamps }))
  for (const id of orgIds) {
    db.run(q.insertInto('organizations').values({ id, partner_id: 'partner', name: id, slug: id, ...stamps }))
    db.run(q.insertInto('sites').values({ id, org_id: id, name: 'HQ', ...stamps }))
  }
  for (const id of devices) {
    const org_id = id.slice(0, -2)
    const fixed = { os_type: 'linux', status: 'online', ...stamps } as const
    db.run(q.insertInto('devices').values({ id, org_id, site_id: org_id, agent_id: id, hostname: id, ...fixed }))
  }
  const audit = createAudit(db, clock, testSeal)
  const removals = new Removals(db, clock, new CommandLedger(db, clock, audit, new LiveEvents(() => [])))
  const deviceSync = new DeviceSync({ db, clock, log: silentLog(), removals, closeSockets: async () => {} })
  const effects = new LifecycleEffects({ db, clock, deviceSync, drainBegan: new Signal() })
  const organizations = new OrganizationLife(db, clock, effects)
  const partners = new PartnerLife(db, clock, effects)
  const drains = new Drains({ db, clock, audit, removals, deviceSync, organizations, partners, windowHours: 72 })
  return { db, clock, organizations, partners, drains }
}

const rowOf = (db: Database, table: 'organizations' | 'partners', id: string) =>
  db.statement(`SELECT * FROM ${table} WHERE id = ?`).get(id) as never
const never = new AbortController().signal

async function take(what: Step, { db, clock, organizations, partners, drains }: ReturnType<typeof world>) {
  const move = (device: string, from: string, to: string, at: string | null) =>
    db
      .statement(`UPDATE device_commands SET status = ?, completed_at = ?, result = iif(? IS NULL, NULL, '{}')
      WHERE device_id = ? AND status = ? AND type = 'self_uninstall'`)
      .run(to, at, at, device, from).changes
  switch (what.do) {
    case 'organization':
      return organizations.change(rowOf(db, 'organizations', what.id), what.to)
    case 'partner':
      return partners.change(rowOf(db, 'partners', 'partner'), what.to)
    case 'collect':
      return move(what.device, 'pending', 'sent', null)
    case 'fail':
      move(what.device, 'pending', 'sent', null)
      return move(what.device, 'sent', 'failed', isoNow(clock))
    case 'leave':
      move(what.device, 'pending', 'sent', null)
      if (move(what.device, 'sent', 'completed', isoNow(clock)) > 0)
        db.statement(`UPDATE devices SET status = 'decommissioned' WHERE id = ?`).run(what.device)
      return
    case 'sweep':
      clock.advance(what.afterHours * hour)
      for (const tenant of drains.list()) await drains.advance(tenant, never)
  }
}

interface Seen {
  org_id: string
  org: OrganizationStatus
  partner: PartnerStatus
  isGone: 0 | 1
  suspended: string | null
  asked: number
  reasons: string | null
}
const seen = (db: Database) =>
  db
    .statement(
      `SELECT devices.org_id, organizations.status AS org, partners.status AS partner,
         devices.status = 'decommissioned' AS isGone, agent_token_suspended_reason AS suspended,
         (SELECT count(*) FROM device_commands WHERE device_id = devices.id AND status IN ('pending', 'sent')) AS asked,
         (SELECT reasons FROM device_commands WHERE device_id = devices.id AND status IN ('pending', 'sent')) AS reasons
       FROM devices JOIN organizations ON organizations.id = devices.org_id JOIN partners ON partners.id = partner_id`,
    )
    .all() as Seen[]

/** The invariants of a device. `mayHaveFailed`: no removal was requested since one failed. */
function judge({ org_id, org, partner, isGone, suspended, asked, reasons }: Seen, mayHaveFailed: boolean) {
  const isClosed = org === 'churned' || partner === 'suspended' || partner === 'churned'
  if (partner !== 'pending') expect(suspended).toBe(isClosed ? 'tenant_suspended' : null)
  const isDraining = !isClosed && (org === 'offboarding' || partner === 'offboarding')
  if (partner === 'pending') return
  if (!isDraining || isGone) return expect(asked).toBe(0)
  if (!(mayHaveFailed && asked === 0)) {
    expect(asked).toBe(1)
    const ofOrg = org === 'offboarding' ? [`tenant_offboarding:org:${org_id}`] : []
    const ofPartner = partner === 'offboarding' ? ['tenant_offboarding:partner:partner'] : []
    expect(JSON.parse(reasons ?? '[]')).toEqual([...ofOrg, ...ofPartner])
  }
}

const stampsFit = (db: Database) =>
  db
    .statement(
      `SELECT id FROM organizations WHERE (status = 'offboarding') <> (offboarding_started_at IS NOT NULL) OR unsettled IS NOT NULL
       UNION ALL SELECT id FROM partners WHERE (status = 'offboarding') <> (offboarding_started_at IS NOT NULL) OR unsettled IS NOT NULL`,
    )
    .all()

test('any walk through the statuses of a partner and its organizations leaves devices consistent with their status', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }), async (steps) => {
      const scene = world()
      let mayHaveFailed = false
      for (const what of steps) {
        await take(what, scene)
        if (what.do === 'fail') mayHaveFailed = true
        for (const device of seen(scene.db)) judge(device, mayHaveFailed)
        expect(stampsFit(scene.db)).toEqual([])
      }
      await take({ do: 'sweep', afterHours: 0 }, scene)
      for (const device of seen(scene.db)) judge(device, false)
      await take({ do: 'sweep', afterHours: 72 }, scene)
      const left = [...orgIds.map((id) => rowOf(scene.db, 'organizations', id)), rowOf(scene.db, 'partners', 'partner')]
      expect(left.map(({ status }) => status)).not.toContain('offboarding')
      scene.db.close()
    }),
    { numRuns: times(150, 50) },
  )
})
