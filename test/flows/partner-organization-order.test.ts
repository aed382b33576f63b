import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { listOrganizations } from '../../shared/api/organizations.ts'
import { organizationOf, otherCompany } from '../helpers/factories.ts'
import { setOrganization } from '../helpers/rows.ts'
import { platform } from './partner-kit.ts'

/** A company with three organizations, the oldest first. */
async function ordered() {
  const scene = await platform()
  const { app, admin } = scene
  const orgs: string[] = []
  for (const name of ['One', 'Two', 'Three']) {
    orgs.push((await organizationOf(app, admin.token, name)).id)
    app.clock.advance(1000)
  }
  const listed = async () =>
    (await app.call(listOrganizations, {}, { token: admin.token })).body.data.map(({ id }) => id)
  const saved = async () => (await scene.readOwn()).body.settings.organizationOrder
  return { ...scene, orgs: orgs as [string, string, string], listed, saved }
}

test.each(['patch', 'patchOwn'] as const)('%s saves the order and appends missing organizations', async (route) => {
  await using scene = await ordered()
  const { app, orgs, listed, saved } = scene
  const [one, two, three] = orgs
  const other = await otherCompany(app)
  const order = (...organizationOrder: string[]) => scene[route]({ settings: { organizationOrder } })
  expect(await saved()).toBe(undefined)
  const sent = [three, randomUUID(), other.org.id, three.toUpperCase(), three]
  expect((await order(...sent)).body.settings.organizationOrder).toEqual([three, one, two])
  expect([await saved(), await listed()]).toEqual([
    [three, one, two],
    [three, one, two],
  ])
  expect((await order()).body.settings.organizationOrder, 'no wish is the order of creation').toEqual(orgs)
  expect((await scene[route]({ settings: { timezone: 'UTC' } })).body.settings.organizationOrder).toEqual(orgs)
  expect((await order(two, two.toUpperCase(), 'x')).status).toBe(400)
  expect(await listed()).toEqual(orgs)
})

test('a new organization is listed last until the next save, and a deleted one leaves the order', async () => {
  await using scene = await ordered()
  const { app, admin, orgs, listed, saved, patchOwn } = scene
  const [one, two, three] = orgs
  await patchOwn({ settings: { organizationOrder: [three, two, one] } })
  const four = (await organizationOf(app, admin.token, 'Four')).id
  expect([await saved(), await listed()]).toEqual([
    [three, two, one],
    [three, two, one, four],
  ])
  setOrganization(app, two, { deleted_at: '2026-03-01T09:00:00.000Z' })
  expect(await saved()).toEqual([three, one])
  await patchOwn({ settings: { organizationOrder: [four, two] } })
  expect([await saved(), await listed()]).toEqual([
    [four, one, three],
    [four, one, three],
  ])
})

test('an archived organization keeps its place in the order, although the list hides it', async () => {
  await using scene = await ordered()
  const { app, orgs, listed, saved, patchOwn } = scene
  const [one, two, three] = orgs
  setOrganization(app, two, { status: 'archived' })
  await patchOwn({ settings: { organizationOrder: [two, three] } })
  expect([await saved(), await listed()]).toEqual([
    [two, three, one],
    [three, one],
  ])
})

test('a refused change leaves the order unchanged', async () => {
  await using scene = await ordered()
  const { orgs, listed, patchOwn } = scene
  const settings = { organizationOrder: [orgs[2]], security: { ipAllowlist: ['::1'] } }
  expect((await patchOwn({ settings })).body.code).toBe('proxy_trust_required')
  expect(await listed()).toEqual(orgs)
})

test('the list of all partners shows each with its own order', async () => {
  await using scene = await ordered()
  const { app, admin, orgs, list, patch } = scene
  const other = await otherCompany(app)
  await patch({ settings: { organizationOrder: [orgs[1]] } })
  await patch({ settings: { organizationOrder: [] } }, other.partnerId)
  await scene.create({ name: 'Third', slug: 'third', settings: { organizationOrder: orgs } })
  const { data } = (await list()).body
  expect(data.map(({ id, settings }) => [id, settings.organizationOrder])).toEqual([
    [admin.partnerId, [orgs[1], orgs[0], orgs[2]]],
    [other.partnerId, [other.org.id]],
    [expect.any(String), undefined],
  ])
})
