import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { Database } from '../../db/database.ts'
import { migrations } from '../../db/migrations/index.ts'
import { adoptFormerContacts } from './former-contacts.ts'
import { ContactProjections } from './projections.ts'
import { ContactStore } from './store.ts'

/** The database of an appliance that last ran before the contacts feature existed. */
function former() {
  const db = new Database({ file: ':memory:' })
  db.migrate(migrations.filter(({ name }) => name <= '002-sign-in'))
  const insert = (table: string, row: Record<string, unknown>) => {
    const columns = { name: 'x', created_at: at, updated_at: at, ...row }
    const names = Object.keys(columns)
    db.statement(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(columns)
  }
  insert('partners', { id: 'p', slug: 'p', status: 'active' })
  const organization = (id: string, billing: object | null) =>
    insert('organizations', { id, partner_id: 'p', slug: id, billing_contact: billing && JSON.stringify(billing) })
  const site = (id: string, contact: unknown) =>
    insert('sites', { id, org_id: 'known', contact: contact === null ? null : JSON.stringify(contact) })
  return { db, organization, site }
}

const at = '2026-03-01T09:00:00.000Z'

test('billing and site contacts stored before the contacts feature existed become contacts, once', () => {
  const { db, organization, site } = former()
  organization('known', { name: ' Ann ', email: 'Ann@X.test', phone: null, note: 'calls back' })
  organization('odd', { name: 5, email: 'nobody', phone: '1' })
  organization('empty', { note: 'nobody' })
  organization('none', null)
  const bert = { name: 'Bert', email: '', phone: '2', floor: 3 }
  site('hq', bert)
  site('text', 'call the office')
  site('none', null)
  db.migrate()
  const siteContact = () =>
    JSON.parse(db.statement("SELECT contact FROM sites WHERE id = 'hq'").pluck().get() as string)
  const contacts = () =>
    db
      .statement(
        'SELECT org_id, site_id, name, email, phone, roles, is_primary, created_by FROM contacts ORDER BY phone',
      )
      .all()
  const projections = new ContactProjections(db, new ContactStore(db, new FakeClock()))
  adoptFormerContacts(db, projections)
  const unsaid = { site_id: null, name: null, email: null, phone: null, created_by: null, is_primary: 1 }
  const adopted = [
    { ...unsaid, org_id: 'known', name: 'Ann', email: 'ann@x.test', roles: '["billing"]' },
    { ...unsaid, org_id: 'odd', phone: '1', roles: '["billing"]' },
    { ...unsaid, org_id: 'known', site_id: 'hq', name: 'Bert', phone: '2', roles: '["site"]' },
  ]
  expect(contacts()).toEqual(adopted)
  expect(siteContact()).toEqual({ name: 'Bert', phone: '2', floor: 3 })
  const linked = 'SELECT id FROM organizations WHERE billing_contact_id IS NOT NULL ORDER BY id'
  expect(db.statement(linked).pluck().all()).toEqual(['known', 'odd'])

  db.statement("DELETE FROM contacts WHERE site_id = 'hq'").run()
  adoptFormerContacts(db, projections)
  expect(contacts(), 'whom somebody has deleted stays so').toEqual(adopted.slice(0, 2))
  db.close()
})
