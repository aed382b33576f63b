import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { importContacts } from '../../shared/api/contact-import.ts'
import { createContact } from '../../shared/api/contacts.ts'
import { createDeviceGroup } from '../../shared/api/device-groups.ts'
import { createEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { archiveOrganization, restoreOrganization } from '../../shared/api/lifecycle.ts'
import { mergeOrganization } from '../../shared/api/organization-merge.ts'
import { updateOrganization } from '../../shared/api/organizations.ts'
import { createSite, deleteSite } from '../../shared/api/sites.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { enrollBody, holdings } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { named } from './group-kit.ts'
import { addContact, mergeScene } from './merge-kit.ts'

/** Simultaneous calls about organizations neither lose rows nor leave them in two places. */

type Holdings = Awaited<ReturnType<typeof holdings>>

/** The calls that race for an organization, with a second one at hand. */
const deeds: ((app: TestApp, token: string, own: Holdings, other: Holdings) => Promise<{ status: number }>)[] = [
  (app, token, { org }, other) =>
    app.call(mergeOrganization, { params: { id: org.id }, body: { survivorId: other.org.id } }, { token }),
  (app, token, { org }) => app.call(archiveOrganization, { params: { id: org.id }, body: {} }, { token }),
  (app, token, { org }) => app.call(restoreOrganization, { params: { id: org.id } }, { token }),
  (app, token, { org }) =>
    app.call(updateOrganization, { params: { id: org.id }, body: { status: 'suspended' } }, { token }),
  (app, token, { org }) =>
    app.call(updateOrganization, { params: { id: org.id }, body: { status: 'active' } }, { token }),
  (app, token, { org }) =>
    app.call(createContact, { params: { id: org.id }, body: { name: 'New', isPrimary: true } }, { token }),
  (app, token, { org }) => {
    const rows = Array.from({ length: 60 }, (_, n) => ({ organizationId: org.id, name: `I ${n}`, externalId: `${n}` }))
    return app.call(importContacts, { body: { rows } }, { token })
  },
  (app, token, { org }) =>
    app.call(createSite, { body: { orgId: org.id, name: 'S', contact: { name: 'Q' } } }, { token }),
  (app, token, { site }) => app.call(deleteSite, { params: { id: site.id } }, { token }),
  (app, token, { org }) => {
    const body = { orgId: org.id, name: 'G', type: 'dynamic' as const, filterConditions: named('pc') }
    return app.call(createDeviceGroup, { body }, { token })
  },
  (app, token, { org, site, device }) => {
    const body = { orgId: org.id, siteId: site.id, name: 'G', deviceIds: [device.deviceId] }
    return app.call(createDeviceGroup, { body }, { token })
  },
  (app, token, { org, site }) =>
    app.call(createEnrollmentKey, { body: { orgId: org.id, siteId: site.id, name: 'k' } }, { token }),
  (app, _token, { key }) => app.call(enroll, { body: enrollBody(key.key, 'pc-new') }),
]

/** Rows without an organization, or in another one than the row they belong to. */
const misplaced = [
  ...['devices', 'contacts', 'device_groups', 'enrollment_keys'].map(
    (table) =>
      `SELECT '${table}', x.id FROM ${table} AS x JOIN sites ON sites.id = x.site_id WHERE sites.org_id <> x.org_id`,
  ),
  ...['devices', 'sites', 'contacts', 'contact_external_links', 'device_groups', 'enrollment_keys'].map(
    (table) => `SELECT '${table}', id FROM ${table} WHERE org_id NOT IN (SELECT id FROM organizations)`,
  ),
  `SELECT 'link', x.id FROM contact_external_links AS x JOIN contacts ON contacts.id = contact_id
   WHERE contacts.org_id <> x.org_id`,
  `SELECT 'member', device_id FROM device_group_members JOIN devices ON devices.id = device_id
     JOIN device_groups AS x ON x.id = group_id WHERE x.org_id <> devices.org_id OR x.site_id <> devices.site_id`,
  `SELECT 'merging', id FROM organizations WHERE status = 'merging'`,
  `SELECT 'undo', seq FROM org_merge_undo`,
  `SELECT 'failed', id FROM tasks WHERE error = 'internal_error'`,
  `SELECT 'silenced', devices.id FROM devices JOIN organizations AS x ON x.id = org_id
   WHERE x.status = 'active' AND x.deleted_at IS NULL AND agent_token_suspended_at IS NOT NULL`,
].join(' UNION ALL ')

const deed = fc.record({
  // A merge goes first, because it is the least likely to succeed.
  what: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 10, arbitrary: fc.nat(deeds.length - 1) }),
  own: fc.nat(2),
  other: fc.nat(2),
})
const rounds = fc.array(fc.record({ deeds: fc.array(deed, { minLength: 10, maxLength: 10 }), restMs: fc.nat(30) }), {
  minLength: 12,
  maxLength: 12,
})

test.each([1, 2, 3])('ten simultaneous calls, repeated, leave every row where it belongs: %i', async (seed) => {
  const { app, admin, loser, survivor } = await mergeScene({ HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60' })
  const all = [loser, survivor, await holdings(app, admin.token, 'Third', 'third-pc')]
  for (const { org } of all) for (let n = 0; n < 150; n++) addContact(app, org.id, { name: `K ${n}` })
  app.app.tasks.start()
  for (const round of fc.sample(rounds, { seed, numRuns: 1 })[0] ?? []) {
    const asked = round.deeds.map(({ what, own, other }) =>
      deeds[what]?.(app, admin.token, all[own] as Holdings, all[other] as Holdings),
    )
    for (const answer of await Promise.all(asked)) expect(answer?.status).toBeLessThan(500)
    await sleep(round.restMs)
  }
  const open = app.db
    .statement(`SELECT count(*) FROM tasks WHERE finished_at IS NULL AND kind LIKE 'organization.%'`)
    .pluck()
  await expect.poll(() => open.get()).toBe(0)
  expect(app.db.statement(misplaced).raw().all()).toEqual([])
  expect(app.db.check()).toEqual([])
})
