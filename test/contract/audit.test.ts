import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { DeviceStatus } from '../../shared/api/devices.ts'
import { testApp } from '../helpers/test-app.ts'
import { bodyOf, forUsers, paramsOf, send, twoCompanies } from './kit.ts'

/** Ask for more than a body: a code of the moment, an authority of one's own. They have tests of their own. */
const elsewhere = ['auth.mfa-enable', 'system.rotate-ca']
const writing = forUsers.filter(({ audit, name }) => audit !== null && !elsewhere.includes(name))

/** What a device must be for the call to make sense; the first state in which it succeeds is the one. */
const states: DeviceStatus[] = ['online', 'quarantined', 'decommissioned']

test('every write leaves exactly the event its contract names, and a refused one leaves none', async () => {
  for (const endpoint of writing) {
    await using app = await testApp({ env: { HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60' } })
    const { own, ids } = await twoCompanies(app)
    const events = () =>
      app.db.statement('SELECT action, result, partner_id, actor_id FROM audit_logs ORDER BY seq').all()
    let succeeded = false
    for (const status of states) {
      app.db.run(q.updateTable('devices').set({ status }).where('id', '=', ids.device))
      const before = events()
      const request = { params: paramsOf(endpoint, ids), body: bodyOf(endpoint, ids), token: own.admin.token }
      const answer = await send(app, endpoint, request)
      const added = events().slice(before.length)
      if (answer.status >= 400) {
        expect(added, `${endpoint.name} refused with ${answer.body.code}`).toEqual([])
        continue
      }
      // The name of the contract, or of its family: `device.maintenance` is `.enable` or `.disable`.
      const action = expect.stringMatching(new RegExp(`^${endpoint.audit}(\\.|$)`)) as string
      const event = { action, result: 'success', partner_id: ids.partner, actor_id: own.admin.userId }
      expect(added, endpoint.name).toEqual([event])
      succeeded = true
      break
    }
    expect(succeeded, `${endpoint.name} never succeeded`).toBe(true)
  }
})

test('reading leaves no event and changes no row', async () => {
  await using app = await testApp()
  const { own, ids } = await twoCompanies(app)
  const before = app.rowCounts()
  for (const endpoint of forUsers.filter(({ method, content }) => method === 'GET' && !content))
    await send(app, endpoint, { params: paramsOf(endpoint, ids), token: own.admin.token })
  const { outbox: _, ...after } = app.rowCounts()
  expect(before).toMatchObject(after)
})
