import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { insertCommand } from '../helpers/commands.ts'
import { setOrganization } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { leaving, organizationRow, partnerRow, removalsOf } from './offboarding-kit.ts'

/** More devices than change in one transaction: they follow in batches, and agents obey the new status at once. */

const many = 1500

function fleet(app: TestApp, orgId: string, siteId: string, size = many): string[] {
  const now = isoNow(app.clock)
  const ids = Array.from({ length: size }, () => randomUUIDv7())
  app.db.transaction(() => {
    for (const id of ids)
      app.db.run(
        q.insertInto('devices').values({
          id,
          org_id: orgId,
          site_id: siteId,
          agent_id: id,
          hostname: `pc-${id.slice(-6)}`,
          os_type: 'linux',
          status: 'online',
          created_at: now,
          updated_at: now,
        }),
      )
  })
  return ids
}

/** Small organizations of one partner, with a device each. */
function organizations(app: TestApp, partner_id: string, howMany: number): void {
  const stamps = { created_at: isoNow(app.clock), updated_at: isoNow(app.clock) }
  const ids = Array.from({ length: howMany }, () => randomUUIDv7())
  app.db.transaction(() => {
    for (const id of ids) {
      app.db.run(q.insertInto('organizations').values({ id, partner_id, name: id, slug: id, ...stamps }))
      app.db.run(q.insertInto('sites').values({ id, org_id: id, name: 'HQ', ...stamps }))
      fleet(app, id, id, 1)
    }
  })
}

const settled = (app: TestApp, orgId: string) => expect.poll(() => organizationRow(app, orgId)?.unsettled).toBeNull()

const open = (app: TestApp) =>
  app.db
    .all(
      q
        .selectFrom('device_commands')
        .select(['type', (select) => select.fn.countAll<number>().as('total')])
        .where('status', 'in', ['pending', 'sent'])
        .groupBy('type'),
    )
    .map(({ type, total }) => [type, total])

test('every device of a large organization gets one removal command and keeps no other command', async () => {
  await using scene = await leaving()
  const { app, org, site, patch, sweep } = scene
  const ids = fleet(app, org.id, site.id)
  for (const id of ids.slice(0, 300)) insertCommand(app, id)
  expect(await patch('offboarding')).toMatchObject({ status: 200, body: { status: 'offboarding' } })
  expect(organizationRow(app, org.id)?.unsettled, 'it follows in pieces').not.toBeNull()
  await settled(app, org.id)
  expect(open(app)).toEqual([['self_uninstall', many + 1]])
  await sweep()
  expect(open(app)).toEqual([['self_uninstall', many + 1]])
})

test('a drain called off half-way leaves no removal commands', async () => {
  await using scene = await leaving()
  const { app, org, site, device, patch } = scene
  fleet(app, org.id, site.id)
  await patch('offboarding')
  await patch('active')
  await settled(app, org.id)
  expect(open(app)).toEqual([])
  await patch('offboarding')
  await patch('suspended')
  await patch('offboarding')
  await settled(app, org.id)
  expect(open(app)).toEqual([['self_uninstall', many + 1]])
  expect(removalsOf(app, device.deviceId).at(-1)).toMatchObject({ status: 'pending' })
})

test('a partner with many small organizations is drained and reactivated', async () => {
  await using scene = await leaving()
  const { app, admin, patchPartner } = scene
  organizations(app, admin.partnerId, 300)
  const partnerSettled = () => expect.poll(() => partnerRow(app, admin.partnerId)?.unsettled).toBeNull()
  await patchPartner('offboarding')
  expect(partnerRow(app, admin.partnerId)?.unsettled).not.toBeNull()
  await partnerSettled()
  expect(open(app)).toEqual([['self_uninstall', 301]])
  await patchPartner('active')
  await partnerSettled()
  expect(open(app)).toEqual([])
})

test('a cancelled removal command is not delivered, even before its cancellation is stored', async () => {
  await using scene = await leaving()
  const { app, org, device, patch, sweep } = scene
  await patch('offboarding')
  const asCrashed = { status: 'active', offboarding_started_at: null } as const
  setOrganization(app, org.id, { ...asCrashed, unsettled: 'organization_offboarding_aborted' })
  expect(await device.beat()).toMatchObject({ status: 200, body: { commands: [] } })
  await sweep()
  expect(removalsOf(app, device.deviceId)).toMatchObject([
    { status: 'cancelled', result: { reason: 'organization_offboarding_aborted' } },
  ])
  expect(organizationRow(app, org.id)?.unsettled).toBeNull()
})
