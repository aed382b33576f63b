import { expect } from 'vitest'
import { TaskFailure } from '../../server/platform/tasks/index.ts'
import { mergeOrganization } from '../../shared/api/organization-merge.ts'
import { cancelTask, listTasks, retryTask } from '../../shared/api/system.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { showFactor } from '../contract/stage.ts'
import { test } from '../helpers/concurrent-test.ts'
import { eventually } from '../helpers/eventually.ts'
import { bootstrapped, holdings, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** The background tasks as an administrator of the appliance sees and manages them. */

async function scene() {
  const app = await testApp({ env: { ORG_MERGE_FENCE_DRAIN_MS: '600000' } })
  const admin = await bootstrapped(app)
  const { token } = admin
  const list = (query: InputOf<typeof listTasks>['query'] = {}) => app.call(listTasks, { query }, { token })
  return {
    app,
    admin,
    list,
    retry: (id: string) => app.call(retryTask, { params: { id } }, { token }),
    cancel: (id: string) => app.call(cancelTask, { params: { id } }, { token }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** A kind of task that the test can let fail. */
function fetches({ app }: TestApp, byHand: ('retry' | 'cancel')[] = ['retry', 'cancel']) {
  const state = { fails: true }
  const queue = app.tasks.register<{ secret: string }>({
    name: 'file.fetch',
    description: 'Fetches a file',
    concurrency: 1,
    keepMs: 60_000,
    attempts: 1,
    byHand,
    run: async (_, { signal }) => {
      if (state.fails) throw new TaskFailure('The server is away')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  return { state, add: () => queue.add({ input: { secret: 'open-sesame' } }) ?? '' }
}

test('tasks are listed with state and error, but without their input', async () => {
  await using at = await scene()
  const { app, list, retry } = at
  const { state, add } = fetches(app)
  const id = add()
  await eventually(async () => expect((await list({ show: 'failed' })).body.data).toHaveLength(1))
  const { body } = await list({ show: 'failed' })
  expect(body).toMatchObject({
    data: [
      {
        id,
        kind: 'file.fetch',
        description: 'Fetches a file',
        state: 'failed',
        attempts: 1,
        progress: null,
        error: 'The server is away',
        nextAttemptAt: null,
        actions: ['retry', 'cancel'],
      },
    ],
    pagination: { page: 1, total: 1 },
    counts: { open: 0, failed: 1, ended: 0 },
  })
  expect(JSON.stringify(body)).not.toContain('open-sesame')
  state.fails = false
  expect((await retry(id)).status).toBe(200)
  await eventually(async () => expect((await list()).body.data).toMatchObject([{ id, state: 'active' }]))
  expect((await list()).body).toMatchObject({ data: [{ actions: ['cancel'] }], counts: { open: 1, failed: 0 } })
  expect(auditOf(app, 'platform_admin.tasks.retry')).toMatchObject([
    { resource_id: id, details: { kind: 'file.fetch', state: 'failed' } },
  ])
})

test('a running task is cancelled and a failed one removed from the list', async () => {
  await using at = await scene()
  const { app, list, retry, cancel } = at
  const { state, add } = fetches(app)
  const failed = add()
  await eventually(async () => expect((await list({ show: 'failed' })).body.data).toHaveLength(1))
  expect((await cancel(failed)).status).toBe(200)
  expect((await list({ show: 'failed' })).body).toMatchObject({ data: [], counts: { failed: 0, ended: 1 } })
  expect((await list({ show: 'ended' })).body.data).toMatchObject([
    { id: failed, state: 'cancelled', error: 'The server is away', actions: [] },
  ])
  state.fails = false
  const running = add()
  await eventually(async () => expect((await list()).body.data).toMatchObject([{ id: running, state: 'active' }]))
  expect((await cancel(running)).status).toBe(200)
  await eventually(async () => expect((await list({ show: 'ended' })).body.data).toHaveLength(2))
  expect(auditOf(app, 'platform_admin.tasks.cancel')).toHaveLength(2)
  const before = [app.rowCounts(), (await list({ show: 'ended' })).body]
  for (const refused of [retry, cancel])
    for (const id of [failed, running, 'nothing'])
      expect(await refused(id)).toMatchObject({ status: 404, body: { code: 'task_not_found' } })
  expect([app.rowCounts(), (await list({ show: 'ended' })).body]).toEqual(before)
})

test('a merge shows its progress, and cannot be cancelled here', async () => {
  await using at = await scene()
  const { app, admin, list, retry, cancel } = at
  showFactor(app, admin.userId)
  const [loser, survivor] = [
    await holdings(app, admin.token, 'Loser', 'l'),
    await holdings(app, admin.token, 'Oslo', 'o'),
  ]
  const merge = { params: { id: loser.org.id }, body: { survivorId: survivor.org.id } }
  expect((await app.call(mergeOrganization, merge, { token: admin.token })).status).toBe(202)
  const id = `org-merge-${loser.org.id}`
  await eventually(async () =>
    expect((await list()).body.data).toMatchObject([
      { id, kind: 'organization.merge', state: 'active', progress: { done: 0, total: 0 }, actions: [] },
    ]),
  )
  expect(JSON.stringify((await list()).body)).not.toContain('Loser')
  for (const refused of [retry, cancel]) expect((await refused(id)).status).toBe(404)
  expect(app.app.tasks.find(id)?.state).toBe('active')
})

test('the list is paged', async () => {
  await using at = await scene()
  const { app, list } = at
  const { add } = fetches(app)
  await app.app.tasks.stop()
  const ids = [1, 2, 3, 4, 5].map(add)
  const second = (await list({ page: '2', limit: '2' })).body
  expect(second).toMatchObject({ pagination: { page: 2, limit: 2, total: 5 }, counts: { open: 5 } })
  expect(second.data.map(({ id }) => id)).toEqual([ids[2], ids[1]])
})

test('only an administrator of the appliance can see and change tasks', async () => {
  await using at = await scene()
  const { app, admin } = at
  const { add } = fetches(app)
  const id = add()
  await eventually(() => expect(app.app.tasks.find(id)?.state).toBe('failed'))
  const { token } = await person(app, { email: 'bo@acme.test', scope: 'partner', partnerId: admin.partnerId })
  const calls = [
    app.call(listTasks, {}, { token }),
    app.call(retryTask, { params: { id } }, { token }),
    app.call(cancelTask, { params: { id } }, { token }),
  ]
  for (const { status, body } of await Promise.all(calls)) {
    expect(status).toBe(403)
    expect(JSON.stringify(body)).not.toContain('file.fetch')
  }
  expect(app.app.tasks.find(id)?.state).toBe('failed')
})
