import { expect, test } from 'vitest'
import { updateOrganization } from '../../shared/api/organizations.ts'
import { contactScene } from './contact-kit.ts'

async function scene() {
  const base = await contactScene()
  return {
    ...base,
    billing: async () => (await base.organization()).billingContact,
    writeBilling: (billingContact: Record<string, string | null> | null) =>
      base.app.call(
        updateOrganization,
        { params: { id: base.org.id }, body: { billingContact } },
        { token: base.admin.token },
      ),
    contacts: async () => (await base.list()).body.data,
    siteContact: async (id = base.hq.id) => (await base.site(id)).contact,
  }
}

test('the billing contact is the primary contact of the organization with that role, or else the oldest one', async () => {
  await using at = await scene()
  expect(await at.billing()).toBeNull()
  await at.create({ name: 'At a site', siteId: at.hq.id, roles: ['billing'] })
  await at.create({ name: 'Technical', roles: ['technical'] })
  expect(await at.billing()).toBeNull()
  const { body: old } = await at.create({ name: 'Old', email: 'old@x.test', mobile: '1', roles: ['billing'] })
  at.app.clock.advance(1000)
  const { body: young } = await at.create({ name: 'Young', phone: '2', roles: ['admin', 'billing'] })
  expect(await at.billing()).toEqual({ name: 'Old', email: 'old@x.test', phone: null })
  await at.change(young.data.id, { isPrimary: true })
  expect(await at.billing()).toEqual({ name: 'Young', email: null, phone: '2' })
  await at.change(young.data.id, { phone: '3' })
  expect(await at.billing()).toEqual({ name: 'Young', email: null, phone: '3' })
  await at.change(young.data.id, { siteId: at.hq.id })
  expect(await at.billing()).toEqual({ name: 'Old', email: 'old@x.test', phone: null })
  await at.remove(old.data.id)
  expect(await at.billing()).toBeNull()
  await at.change(young.data.id, { siteId: null })
  expect(await at.billing()).toEqual({ name: 'Young', email: null, phone: '3' })
  await at.change(young.data.id, { roles: [] })
  expect(await at.billing()).toBeNull()
})

test('writing the billing contact changes the linked contact, else the one with the address, else adds one', async () => {
  await using at = await scene()
  const { body: namesake } = await at.create({ name: 'Ann', email: 'ann@x.test', phone: '1', roles: ['admin'] })
  expect((await at.writeBilling({ email: 'ANN@x.test' })).body.billingContact).toEqual({
    name: 'Ann',
    email: 'ann@x.test',
    phone: '1',
  })
  expect(await at.contacts()).toMatchObject([{ id: namesake.data.id, roles: ['admin', 'billing'], isPrimary: false }])
  expect((await at.writeBilling({ name: 'Bob', email: '' })).body.billingContact).toEqual({
    name: 'Bob',
    email: null,
    phone: null,
  })
  expect(await at.contacts()).toMatchObject([{ id: namesake.data.id, name: 'Bob', email: null, phone: null }])
  expect((await at.writeBilling(null)).body.billingContact).toBeNull()
  expect(await at.contacts()).toMatchObject([{ name: 'Bob', roles: ['admin'] }])
  await at.writeBilling({ name: 'Cy', phone: '9' })
  expect(await at.contacts()).toMatchObject([{ name: 'Bob' }, { name: 'Cy', roles: ['billing'], isPrimary: true }])
})

test('a new billing contact becomes primary only if no other contact is', async () => {
  await using at = await scene()
  await at.create({ name: 'Ann', isPrimary: true })
  await at.create({ name: 'Cy', email: 'cy@x.test', siteId: at.hq.id })
  await at.writeBilling({ email: 'cy@x.test' })
  expect(await at.contacts()).toMatchObject([
    { name: 'Ann', isPrimary: true },
    { name: 'Cy', roles: [], siteId: at.hq.id },
    { email: 'cy@x.test', isPrimary: false, roles: ['billing'], siteId: null },
  ])
  expect((await at.writeBilling({})).body.billingContact).toBeNull()
  expect((await at.writeBilling({ email: 'nobody' })).status).toBe(400)
})

test('the contact of a site shows its primary contact, and unknown keys stay', async () => {
  await using at = await scene()
  await at.changeSite({ contact: { floor: 3 } })
  const { body: ann } = await at.create({ name: 'Ann', siteId: at.hq.id, isPrimary: true })
  expect(await at.siteContact()).toEqual({ floor: 3, name: 'Ann' })
  await at.create({ name: 'Bo', email: 'bo@x.test', siteId: at.hq.id })
  await at.change(ann.data.id, { phone: '1' })
  expect(await at.siteContact()).toEqual({ floor: 3, name: 'Ann', phone: '1' })
  const { body: cy } = await at.create({ email: 'cy@x.test', siteId: at.hq.id, isPrimary: true })
  expect(await at.siteContact()).toEqual({ floor: 3, email: 'cy@x.test' })
  await at.change(cy.data.id, { siteId: at.depot.id })
  expect([await at.siteContact(), await at.siteContact(at.depot.id)]).toEqual([{ floor: 3 }, { email: 'cy@x.test' }])
  await at.change(cy.data.id, { isPrimary: false })
  expect(await at.siteContact(at.depot.id)).toBeNull()
  await at.change(cy.data.id, { isPrimary: true })
  await at.remove(cy.data.id)
  expect(await at.siteContact(at.depot.id)).toBeNull()
})

test('a refused change leaves the shown billing contact unchanged', async () => {
  await using at = await scene()
  const { body: ann } = await at.create({ name: 'Ann', roles: ['billing'] })
  expect((await at.change(ann.data.id, { name: null })).status).toBe(400)
  expect(await at.billing()).toEqual({ name: 'Ann', email: null, phone: null })
})
