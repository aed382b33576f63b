import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { importContacts } from '../../shared/api/contact-import.ts'
import { archiveOrganization } from '../../shared/api/lifecycle.ts'
import { mergeOrganization, previewMerge, readMergeRun } from '../../shared/api/organization-merge.ts'
import { updateOrganization } from '../../shared/api/organizations.ts'
import { createSite } from '../../shared/api/sites.ts'
import { showFactor } from '../contract/stage.ts'
import { organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { mergeScene, rowsOf } from './merge-kit.ts'

/** Which merges are refused, and to whom. */

const post = (app: TestApp, token: string, id: string, body: { survivorId: string; confirmName?: string }) =>
  app.call(mergeOrganization, { params: { id }, body }, { token })

test('refusals have the precedence of the reference and write nothing', async () => {
  const { app, admin, loser, survivor } = await mergeScene()
  const other = await otherCompany(app)
  const ids = { loser: loser.org.id, survivor: survivor.org.id, foreign: other.org.id, none: randomUUID() }
  const selected = await person(app, {
    email: 'selected@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [ids.loser],
  })
  showFactor(app, selected.id)
  setOrganization(app, ids.survivor, { status: 'suspended' })
  const before = rowsOf(app)
  const refusal = async (token: string, id: string, survivorId: string, confirmName?: string) => {
    const { status, body } = await post(app, token, id, { survivorId, ...(confirmName && { confirmName }) })
    return [status, body.error]
  }
  const noSuch = [404, 'Organization not found']
  // Everything else is wrong as well in each of these.
  expect(await refusal(admin.token, ids.none, ids.none, 'x')).toEqual(noSuch)
  expect(await refusal(admin.token, 'no-uuid', ids.foreign, 'x')).toEqual(noSuch)
  expect(await refusal(admin.token, ids.foreign, ids.none, 'x')).toEqual(noSuch)
  expect(await refusal(selected.token, ids.survivor, ids.none, 'x')).toEqual(noSuch)
  const noSurvivor = [404, 'Surviving organization not found']
  expect(await refusal(admin.token, ids.loser, ids.none, 'x')).toEqual(noSurvivor)
  expect(await refusal(admin.token, ids.loser, ids.foreign, 'x')).toEqual(noSurvivor)
  expect(await refusal(selected.token, ids.loser, ids.survivor, 'x')).toEqual(noSurvivor)
  expect(await refusal(admin.token, ids.loser, ids.survivor, 'loser')).toEqual([
    400,
    'confirmName does not match the organization being merged away',
  ])
  expect(await refusal(admin.token, ids.loser, ids.loser, 'Loser')).toEqual([
    400,
    'An organization cannot be merged into itself',
  ])
  expect(await refusal(admin.token, ids.loser, ids.survivor)).toEqual([
    400,
    'Only an active or trial organization can take another one in',
  ])
  expect(rowsOf(app)).toEqual(before)
})

test('a deleted organization cannot be merged, neither as loser nor as survivor', async () => {
  const { app, admin, loser, survivor } = await mergeScene()
  const refusal = async (endpoint: typeof previewMerge | typeof mergeOrganization, id: string, survivorId: string) => {
    const { status, body } = await app.call(endpoint, { params: { id }, body: { survivorId } }, admin)
    return [status, body.error]
  }
  const narrow = await person(app, {
    email: 'narrow@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [survivor.org.id],
  })
  showFactor(app, narrow.id)
  for (const endpoint of [previewMerge, mergeOrganization]) {
    setOrganization(app, loser.org.id, { deleted_at: isoNow(app.clock) })
    const before = rowsOf(app)
    expect(await refusal(endpoint, loser.org.id, survivor.org.id)).toEqual([404, 'Organization not found'])
    expect(await refusal(endpoint, loser.org.id, loser.org.id)).toEqual([404, 'Organization not found'])
    expect(await refusal(endpoint, survivor.org.id, loser.org.id)).toEqual([404, 'Surviving organization not found'])
    expect((await post(app, narrow.token, survivor.org.id, { survivorId: loser.org.id })).status).toBe(404)
    expect(rowsOf(app)).toEqual(before)
    setOrganization(app, loser.org.id, { deleted_at: null })
  }
  expect(auditOf(app, 'org.merge.requested')).toEqual([])
})

test('a merge is refused when the status of the loser or the survivor does not allow it', async () => {
  const { app, admin, loser, survivor } = await mergeScene()
  const into = { survivorId: survivor.org.id }
  for (const status of ['churned', 'offboarding', 'merging', 'archived', 'purging'] as const) {
    setOrganization(app, loser.org.id, { status })
    for (const endpoint of [previewMerge, mergeOrganization])
      expect(await app.call(endpoint, { params: { id: loser.org.id }, body: into }, admin)).toMatchObject({
        status: 400,
        body: { code: 'merge_loser_status' },
      })
  }
  setOrganization(app, loser.org.id, { status: 'active' })
  for (const status of ['suspended', 'churned', 'offboarding', 'merging', 'archived', 'purging'] as const) {
    setOrganization(app, survivor.org.id, { status })
    expect(await post(app, admin.token, loser.org.id, into), status).toMatchObject({
      status: 400,
      body: { code: 'merge_survivor_status' },
    })
  }
})

test('a merge needs a member of the partner with organizations:write who has passed a second factor', async () => {
  const { app, admin, loser, survivor } = await mergeScene()
  const into = { survivorId: survivor.org.id }
  const partnerId = admin.partnerId
  const operator = await person(app, { email: 'op@x.test', scope: 'system' })
  const viewer = await person(app, { email: 'viewer@x.test', scope: 'partner', partnerId, role: 'Partner Viewer' })
  const plain = await person(app, { email: 'plain@x.test', scope: 'partner', partnerId })
  for (const { id } of [operator, viewer]) showFactor(app, id)
  const answers = [operator, viewer, plain].map(({ token }) => post(app, token, loser.org.id, into))
  expect((await Promise.all(answers)).map(({ status, body }) => [status, body.error])).toEqual([
    [403, 'Insufficient permissions'],
    [403, 'Permission denied'],
    [403, 'MFA required'],
  ])
})

test('a merge run can be read only by its company, and without a second factor', async () => {
  const { app, admin, loser, merge, runOf } = await mergeScene()
  const other = await otherCompany(app)
  const { body } = await merge()
  const viewer = await person(app, {
    email: 'viewer@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: 'Partner Viewer',
  })
  const read = (token: string, jobId = body.jobId) => app.call(readMergeRun, { params: { jobId } }, { token })
  expect(await read(viewer.token)).toMatchObject({ status: 200, body: { state: 'waiting' } })
  expect((await runOf()).body).toEqual({ state: 'waiting' })
  const elsewhere = { email: 'e@x.test', scope: 'partner', partnerId: admin.partnerId, orgAccess: 'selected' } as const
  const { token } = await person(app, { ...elsewhere, orgIds: [loser.org.id] })
  for (const answer of [await read(token), await read(other.admin.token), await read(admin.token, 'org-merge-unknown')])
    expect(answer).toMatchObject({ status: 404, body: { error: 'Merge run not found' } })
})

test('during a merge the survivor keeps its status and refuses writes', async () => {
  const { app, admin, loser, survivor, merge } = await mergeScene()
  const third = await organizationOf(app, admin.token, 'Third')
  await merge()
  const params = { id: survivor.org.id }
  const frozen = {
    status: 409,
    body: {
      code: 'ORG_LIFECYCLE_FROZEN',
      currentStatus: 'active',
      error: 'Another organization is being merged into this one; try again when that is done',
    },
  }
  expect(await app.call(archiveOrganization, { params, body: {} }, admin)).toMatchObject(frozen)
  expect(await post(app, admin.token, survivor.org.id, { survivorId: third.id })).toMatchObject(frozen)
  expect(await app.call(updateOrganization, { params, body: { status: 'suspended' } }, admin)).toMatchObject(frozen)
  expect(await post(app, admin.token, third.id, { survivorId: loser.org.id })).toMatchObject({
    status: 400,
    body: { code: 'merge_survivor_leaving' },
  })
  const imported = async () => {
    const body = { rows: [{ organizationId: survivor.org.id, name: 'Kim' }] }
    const answer = await app.call(importContacts, { body }, admin)
    return [answer.body.imported.length, answer.body.errors.map(({ error }) => error)]
  }
  const newSite = () => app.call(createSite, { body: { orgId: survivor.org.id, name: 'New' } }, admin)
  expect((await newSite()).status).toBe(201)
  for (const phase of ['moving', 'undoing']) {
    app.db.run(q.updateTable('tasks').set({ progress: JSON.stringify({ phase }) }))
    expect(await newSite(), phase).toMatchObject(frozen)
    expect(await imported(), phase).toEqual([0, ['organization: another one is being merged into it']])
  }
  const over = { state: 'completed', due_at: null, finished_at: isoNow(app.clock) } as const
  app.db.run(q.updateTable('tasks').set(over).where('kind', '=', 'organization.merge'))
  expect((await newSite()).status).toBe(201)
  expect(await imported()).toEqual([1, []])
  expect(auditOf(app, 'org.merge.requested')).toHaveLength(1)
})

test('devices that have not followed a status change yet delay a merge with 400 merge_unsettled', async () => {
  const { app, loser, merge } = await mergeScene()
  setOrganization(app, loser.org.id, { unsettled: 'test' })
  expect(await merge()).toMatchObject({ status: 400, body: { code: 'merge_unsettled' } })
})
