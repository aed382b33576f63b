import { expect, test } from 'vitest'
import { day, hour, iso } from '../../server/platform/clock.ts'
import { listErasures, readOffboarding } from '../../shared/api/lifecycle.ts'
import { listMergeRuns } from '../../shared/api/organization-merge.ts'
import { deleteOrganization } from '../../shared/api/organizations.ts'
import { otherCompany, person } from '../helpers/factories.ts'
import { mergeScene } from './merge-kit.ts'
import { leaving, removalsOf } from './offboarding-kit.ts'

/** The progress of a closing organization and of a merge, as the API reports it. */

test('a closing organization reports how many agents are removed, how many remain, and the deadline', async () => {
  await using scene = await leaving({ env: { OFFBOARDING_DRAIN_WINDOW_HOURS: '5' } })
  const { app, admin, operator, org, device, newDevice, patch } = scene
  await newDevice()
  const read = (token = admin.token) => app.call(readOffboarding, { params: { id: org.id } }, { token })
  expect(await read()).toMatchObject({ status: 200, body: { data: null } })
  await patch('offboarding')
  const began = app.clock.now()
  const progress = { startedAt: iso(began), endsBy: iso(began + 5 * hour), removed: 0, waiting: 2 }
  expect((await read()).body.data).toEqual(progress)
  await device.beat()
  await device.finish(removalsOf(app, device.deviceId)[0]?.id as string)
  expect((await read(operator.token)).body.data).toEqual({ ...progress, removed: 1, waiting: 1 })
  const stranger = await otherCompany(app)
  expect(await read(stranger.admin.token)).toMatchObject({ status: 404, body: { error: 'Organization not found' } })
  await patch('active')
  expect((await read()).body.data).toBeNull()
})

test('a merge is listed for both organizations, also after the loser is gone, for a week', async () => {
  const { app, admin, loser, survivor, merge, ended } = await mergeScene()
  const runs = async (token = admin.token) => (await app.call(listMergeRuns, {}, { token })).body.data
  expect(await runs()).toEqual([])
  await merge()
  const run = {
    jobId: `org-merge-${loser.org.id}`,
    loserId: loser.org.id,
    loserName: 'Loser',
    loserSlug: loser.org.slug,
    survivorId: survivor.org.id,
    survivorName: 'Survivor',
    survivorSlug: survivor.org.slug,
    createdAt: iso(app.clock.now()),
  }
  expect(await runs()).toEqual([{ ...run, state: 'waiting', finishedAt: null }])
  const { partnerId } = admin
  const partial = { scope: 'partner', partnerId, orgAccess: 'selected' } as const
  const near = await person(app, { ...partial, email: 'near@northwind.test', orgIds: [survivor.org.id] })
  const far = await person(app, { ...partial, email: 'far@northwind.test', orgIds: [loser.org.id] })
  expect(await runs(near.token)).toHaveLength(1)
  expect(await runs(far.token)).toEqual([])
  expect(await runs((await otherCompany(app)).admin.token)).toEqual([])
  app.app.tasks.start()
  await ended('completed')
  expect(await runs()).toEqual([{ ...run, state: 'completed', finishedAt: iso(app.clock.now()) }])
  const mergedInto = { id: survivor.org.id, name: 'Survivor', slug: survivor.org.slug, at: iso(app.clock.now()) }
  const { data: erasures } = (await app.call(listErasures, {}, { token: admin.token })).body
  expect(erasures).toMatchObject([{ orgId: loser.org.id, orgName: 'Loser', orgSlug: loser.org.slug, mergedInto }])
  // A member with the loser selected has the survivor now.
  expect(await runs(far.token)).toHaveLength(1)
  app.clock.advance(8 * day)
  expect(await runs((await person(app, { ...partial, email: 'late@northwind.test', orgAccess: 'all' })).token)).toEqual(
    [],
  )
})

test('a deleted organization is listed for a week, to those who had access', async () => {
  const { app, admin, loser } = await mergeScene()
  const { partnerId } = admin
  const erasures = async (token: string) => (await app.call(listErasures, {}, { token })).body.data
  const at = iso(app.clock.now())
  await app.call(deleteOrganization, { params: { id: loser.org.id } }, { token: admin.token })
  expect(await erasures(admin.token)).toEqual([
    {
      orgId: loser.org.id,
      orgName: 'Loser',
      orgSlug: loser.org.slug,
      partnerId,
      ...{ state: 'completed', done: 0, total: null, createdAt: at, finishedAt: at, isKept: true, mergedInto: null },
    },
  ])
  const none = await person(app, { scope: 'partner', partnerId, orgAccess: 'none', email: 'none@northwind.test' })
  expect(await erasures(none.token)).toEqual([])
  expect(await erasures((await otherCompany(app)).admin.token)).toEqual([])
  app.clock.advance(8 * day)
  const late = await person(app, { scope: 'partner', partnerId, orgAccess: 'all', email: 'late@northwind.test' })
  expect(await erasures(late.token)).toEqual([])
})
