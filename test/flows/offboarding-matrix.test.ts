import { afterAll, describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { apiKeyOf, holdings, person } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { deviceRowOf, setOrganization } from '../helpers/rows.ts'
import { leaving, type OrganizationStatus, organizationRow, removalsOf } from './offboarding-kit.ts'

/** Every change of status by PATCH, and its effects. */

const scene = await leaving({ env: { HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60' } })
const { app, admin, patch } = scene
afterAll(() => scene[Symbol.asyncDispose]())

const statuses = ['active', 'trial', 'suspended', 'churned', 'offboarding'] as const

/** What holds for devices of an organization, whatever its former status. */
const meaning: Record<OrganizationStatus, { isAsked: boolean; isSuspended: boolean; beat: number }> = {
  active: { isAsked: false, isSuspended: false, beat: 200 },
  trial: { isAsked: false, isSuspended: false, beat: 200 },
  suspended: { isAsked: false, isSuspended: false, beat: 200 },
  churned: { isAsked: false, isSuspended: true, beat: 401 },
  offboarding: { isAsked: true, isSuspended: false, beat: 200 },
}
const isClosing = (status: OrganizationStatus) => status === 'churned' || status === 'offboarding'

let count = 0
async function organizationIn(status: OrganizationStatus) {
  const { org, key, device } = await holdings(app, admin.token, `Org ${++count}`, `pc-${count}`)
  const apiKey = await apiKeyOf(app, admin.token, org.id)
  if (status !== 'active') await patch(status, { id: org.id })
  return { org, key, apiKey, device: fakeDevice(app, device) }
}

const keyIsLive = (id: string) =>
  (app.db.first(q.selectFrom('enrollment_keys').select('expires_at').where('id', '=', id))?.expires_at ?? '') >
  new Date(app.clock.now()).toISOString()

const apiKeyStatus = (id: string) =>
  app.db.first(q.selectFrom('api_keys').select('status').where('id', '=', id))?.status

const sessionsOf = (userId: string) =>
  app.db.all(q.selectFrom('sessions').select('id').where('user_id', '=', userId).where('revoked_at', 'is', null)).length

for (const from of statuses)
  describe(`from ${from}`, () => {
    for (const to of statuses)
      test(`to ${to}`, async () => {
        const { org, key, apiKey, device } = await organizationIn(from)
        const before = organizationRow(app, org.id)
        app.clock.advance(1)
        expect(await patch(to, { id: org.id })).toMatchObject({ status: 200, body: { status: to } })

        const { isAsked, isSuspended, beat } = meaning[to]
        const asked = removalsOf(app, device.deviceId).filter(({ status }) => status === 'pending')
        expect(asked).toHaveLength(isAsked ? 1 : 0)
        expect(deviceRowOf(app, device.deviceId)?.agent_token_suspended_reason).toBe(
          isSuspended ? 'tenant_suspended' : null,
        )
        expect((await device.beat()).status).toBe(beat)
        const keepsKeys = !isClosing(from) && !isClosing(to)
        expect(keyIsLive(key.id)).toBe(keepsKeys)
        expect(apiKeyStatus(apiKey.id)).toBe(keepsKeys ? 'active' : 'revoked')
        const after = organizationRow(app, org.id)
        expect(after?.offboarding_started_at).toBe(
          to !== 'offboarding'
            ? null
            : from === to
              ? before?.offboarding_started_at
              : new Date(app.clock.now()).toISOString(),
        )
      })

    test('members of the organization lose their sessions with it, and no others do', async () => {
      for (const to of statuses) {
        const { org } = await organizationIn(from === 'trial' ? 'trial' : 'active')
        const employee = await person(app, { email: `eve-${count}@berlin.test`, scope: 'organization', orgId: org.id })
        if (from !== 'active' && from !== 'trial') setOrganization(app, org.id, { status: from })
        await patch(to, { id: org.id })
        const isKept = from === to || to === 'active' || to === 'trial'
        expect([to, sessionsOf(employee.id)]).toEqual([to, isKept ? 1 : 0])
      }
      expect(sessionsOf(admin.userId)).toBeGreaterThan(0)
    })
  })

for (const frozen of ['archived', 'merging', 'purging'] as const)
  test(`a PATCH cannot change the status ${frozen}`, async () => {
    const { org } = await organizationIn('active')
    setOrganization(app, org.id, { status: frozen })
    const before = organizationRow(app, org.id)
    for (const to of statuses)
      expect(await patch(to, { id: org.id })).toMatchObject({
        status: 409,
        body: { code: 'ORG_LIFECYCLE_FROZEN', currentStatus: frozen },
      })
    expect(organizationRow(app, org.id)).toEqual(before)
  })
