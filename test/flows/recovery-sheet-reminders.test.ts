import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day } from '../../server/platform/clock.ts'
import { confirmRecoverySheet, createEncryptionKey, rotateEncryptionKey } from '../../shared/api/backup-keys.ts'
import { readHome } from '../../shared/api/home.ts'
import { otherCompany, person } from '../helpers/factories.ts'
import { nightly, reportScene } from './backup-report-kit.ts'

/** The recovery sheet is asked for until somebody has said that it is locked away. */

async function scene() {
  const made = await reportScene()
  const { app, org, policy, token, job, mails } = made
  await policy('Nightly', nightly(['ops@acme.test', 'boss@acme.test']), { level: 'organization', targetId: org.id })
  const call = { query: { orgId: org.id } }
  const key = await app.call(createEncryptionKey, { ...call, body: { name: 'Backup key' } }, { token: await token() })
  return {
    ...made,
    keyId: key.body.id,
    remind: () => job('backup.remind-of-sheets'),
    reminders: () => mails('backup-recovery-sheet').map(({ to }) => to),
    confirm: async (keyId: string) =>
      app.call(confirmRecoverySheet, { ...call, body: { keyIds: [keyId] } }, { token: await token() }),
    rotate: async (id: string) =>
      app.call(rotateEncryptionKey, { params: { id }, ...call, body: {} }, { token: await token() }),
    home: async (as?: string) => (await app.call(readHome, { query: {} }, { token: as ?? (await token()) })).body,
  }
}

test('people are mailed after a week, and each month, until the sheet is locked away', async () => {
  const { app, keyId, remind, reminders, confirm, rotate } = await scene()
  const both = ['boss@acme.test', 'ops@acme.test']
  await remind()
  expect(reminders()).toEqual([])
  app.clock.advance(7 * day)
  for (let times = 0; times < 3; times++) await remind()
  expect(reminders().sort()).toEqual(both)
  app.clock.advance(29 * day)
  await remind()
  expect(reminders()).toHaveLength(2)
  app.clock.advance(day)
  await Promise.all(Array.from({ length: 10 }, remind))
  // What has not left by then is the same that is said now.
  const again = reminders().length
  expect([2, 4]).toContain(again)
  expect((await confirm(keyId)).status).toBe(200)
  app.clock.advance(60 * day)
  await remind()
  expect(reminders()).toHaveLength(again)
  const renewed = (await rotate(keyId)).body.newKey.id
  app.clock.advance(8 * day)
  await remind()
  expect(reminders().length, 'of the new key').toBeGreaterThan(0)
  expect((await confirm(renewed)).status).toBe(200)
})

test('who is named later is reminded then, and nobody of an organization that is closed', async () => {
  const { app, org, remind, reminders } = await scene()
  app.clock.advance(8 * day)
  app.db.run(q.updateTable('organizations').set({ status: 'suspended' }).where('id', '=', org.id))
  await remind()
  expect(reminders()).toEqual([])
  app.db.run(q.updateTable('organizations').set({ status: 'active' }).where('id', '=', org.id))
  const links = app.db.all(q.selectFrom('config_policy_feature_links').selectAll())
  app.db.statement('DELETE FROM config_policy_assignments').run()
  await remind()
  expect(reminders()).toEqual([])
  expect(app.db.all(q.selectFrom('storage_encryption_keys').select('sheet_reminded_at'))).toEqual([
    { sheet_reminded_at: null },
  ])
  expect(links).toHaveLength(1)
})

test('Home asks people who may print it, and nobody else', async () => {
  const { app, org, keyId, home, confirm } = await scene()
  expect((await home()).unprintedSheets).toEqual({ organizations: 1, only: { id: org.id, name: 'Berlin' } })
  const viewer = await person(app, { email: 'v@acme.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  expect((await home(viewer.token)).unprintedSheets).toBeNull()
  const other = await otherCompany(app)
  expect((await home(other.admin.token)).unprintedSheets).toBeNull()
  expect((await confirm(keyId)).status).toBe(200)
  expect((await home()).unprintedSheets).toBeNull()
})
