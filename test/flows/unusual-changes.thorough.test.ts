import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { minute } from '../../server/platform/clock.ts'
import { backupDashboard } from '../../shared/api/backup-reports.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { decideUnusualChange, listUnusualChanges } from '../../shared/api/unusual-changes.ts'
import { contents } from '../contract/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { otherCompany, person, siteOf } from '../helpers/factories.ts'
import { mailServer } from '../helpers/mail-server.ts'
import { auditOf } from '../helpers/rows.ts'
import { passFactor, sessionOf } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'
import { withFactor } from './kit.ts'

/** Changes from one backup to another that look like an attack, with the real restic. */

const heads: Record<string, Buffer> = {
  '.docx': Buffer.from('504b0304', 'hex'),
  '.jpg': Buffer.from('ffd8ffe0', 'hex'),
  '.pdf': Buffer.from('%PDF-1.7'),
}
const contentOf = (ending: string): Buffer =>
  heads[ending] ? Buffer.concat([heads[ending], randomBytes(1500)]) : Buffer.from('name;amount\nAda;12\n'.repeat(80))

async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const device = await storingDevice(app)
  const source = join(scratchFolder(), 'source')
  mkdirSync(source)
  const names = ['.docx', '.jpg', '.pdf', '.csv'].flatMap((ending) =>
    Array.from({ length: 10 }, (_, n) => `file ${n}${ending}`),
  )
  for (const name of names) {
    writeFileSync(join(source, name), contentOf(extname(name)))
    utimesSync(join(source, name), 1_700_000_000, 1_700_000_000)
  }
  const call = { query: {} }
  const found = async () => (await app.call(listUnusualChanges, call as never, { token: device.token })).body.data
  const isOver = () => {
    const tasks = q.selectFrom('tasks').select('id').where('kind', '=', 'backup.compare')
    expect(app.db.all(tasks.where('state', 'in', ['waiting', 'active']))).toEqual([])
  }
  /** One minute after the other, and compared. */
  const backUp = async (options = {}) => {
    app.clock.advance(minute)
    const made = await device.backUp(source, options)
    await eventually(isOver)
    return made
  }
  const decide = (id: string, decision: 'expected' | 'held', token = device.token) =>
    app.call(decideUnusualChange, { params: { id }, body: { decision, reason: 'Looked at it' } }, { token })
  const items = async () => {
    const { body } = await app.call(backupDashboard, call as never, { token: device.token })
    return body.data.attentionItems.map(({ kind, severity }) => [kind, severity])
  }
  const expire = async () => {
    app.db.run(q.updateTable('backup_snapshots').set({ expires_at: new Date(app.clock.now() - 1).toISOString() }))
    expect(await app.app.jobs.runNow('backup.expire')).toMatchObject({ lastOutcome: 'success' })
    return app.db.all(q.selectFrom('backup_snapshots').select('id').where('expired_at', 'is', null)).map(({ id }) => id)
  }
  const file = (name: string) => join(source, name)
  const encrypt = (name: string) => writeFileSync(file(name), randomBytes(statSync(file(name)).size + 16))
  return { app, ...device, names, file, source, found, backUp, decide, items, expire, encrypt }
}

test('files encrypted in place need attention, and older snapshots stay until somebody has called it expected', async () => {
  const { app, device, names, backUp, encrypt, found, items, expire, decide } = await scene()
  const first = await backUp()
  const second = await backUp()
  expect(await found(), 'a first backup, and one without changes').toEqual([])
  for (const name of names) encrypt(name)
  const third = await backUp()
  expect(await found()).toMatchObject([
    {
      deviceId: device.deviceId,
      ...{ snapshotId: third.id, olderId: second.id, sign: 'content', state: 'open' },
      numbers: { filesBefore: 40, changed: 40, added: 0, removed: 0, renamed: 0, looked: { files: 12, spoiled: 12 } },
    },
  ])
  expect(await items()).toContainEqual(['unusual_change', 'critical'])
  expect(auditOf(app, 'backup.unusual_change.find')).toMatchObject([{ actor_type: 'system' }])
  expect(readdirSync(join(first.folder, 'locks'))).toEqual([])

  // The next ones are not told of again, and expire as usual.
  const fourth = await backUp()
  expect(await found()).toHaveLength(1)
  const all = [first.id, second.id]
  expect(await expire()).toEqual([...all, fourth.id])
  const [{ id } = { id: '' }] = await found()
  expect((await decide(id, 'held')).status).toBe(200)
  expect(await items()).not.toContainEqual(['unusual_change', 'critical'])
  expect(await expire()).toEqual([...all, fourth.id])
  expect((await decide(id, 'held')).body.code).toBe('unusual_change_decided')
  expect((await decide(id, 'expected')).body.data).toMatchObject({ state: 'expected', reason: 'Looked at it' })
  expect((await decide(id, 'held')).body.code).toBe('unusual_change_decided')
  expect(auditOf(app, 'backup.unusual_change.decide')).toHaveLength(2)
  expect(await expire()).toEqual([fourth.id])
})

test('files encrypted under another name are found, with the ending that they have now', async () => {
  const { names, backUp, encrypt, file, found } = await scene()
  await backUp()
  for (const name of names.slice(0, 30)) {
    encrypt(name)
    renameSync(file(name), file(`${name}.locked`))
  }
  await backUp()
  const numbers = { changed: 0, replaced: 30, renamed: 30, newEnding: { text: '.locked', files: 30 } }
  expect(await found()).toMatchObject([{ sign: 'content', numbers }])
})

test('copies that are the same, packed logs and another format are nothing unusual', async () => {
  const { names, backUp, file, found } = await scene()
  await backUp()
  const change = [
    (name: string) => utimesSync(file(name), 1_750_000_000, 1_750_000_000),
    (name: string) => writeFileSync(file(name), contentOf(extname(name))),
    (name: string) => {
      writeFileSync(file(name), Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), randomBytes(1500)]))
      renameSync(file(name), file(`${name}.gz`))
    },
  ]
  for (const [n, name] of names.entries()) change[n % change.length]?.(name)
  await backUp()
  expect(await found()).toEqual([])
})

test('a few files in each of several backups are found together', async () => {
  const { app, names, backUp, encrypt, found } = await scene()
  await backUp()
  for (let n = 0; n < 30; n += 6) {
    for (const name of names.slice(n, n + 6)) encrypt(name)
    await backUp()
    if (n === 0) expect(await found(), 'six files are too few to say anything').toEqual([])
  }
  expect(await found()).toMatchObject([{ sign: 'content' }])
  expect(app.db.all(q.selectFrom('backup_attention').select('kind'))).toEqual([{ kind: 'unusual_change' }])
})

test('what a device hides in its clock is found by what the store of the appliance has taken', async () => {
  const { app, names, backUp, file, found } = await scene()
  const { repositoryId } = await backUp()
  const store = (bytes: number) =>
    app.db.run(
      q.updateTable('backup_repositories').set({ stored_bytes: bytes, is_in_store: 1 }).where('id', '=', repositoryId),
    )
  store(80_000)
  await backUp()
  // Size and time stay, as the list of files has them; the content does not.
  for (const name of names) {
    const { size, atime, mtime } = statSync(file(name))
    writeFileSync(file(name), randomBytes(size))
    utimesSync(file(name), atime, mtime)
  }
  store(80_000 + 4_000_000)
  await backUp()
  expect(await found()).toMatchObject([
    { sign: 'content', numbers: { changed: 0, looked: { files: 12, spoiled: 12 } } },
  ])
})

test('a device that says that nothing has changed is not believed when the store has taken much', async () => {
  const { app, names, backUp, encrypt, found } = await scene()
  const first = await backUp()
  const before = await first.engine.ok('ls', '--json', first.snapshotId)
  const stored = (bytes: number) =>
    app.db.run(q.updateTable('backup_repositories').set({ stored_bytes: bytes, is_in_store: 1 }))
  stored(80_000)
  await backUp()
  for (const name of names) encrypt(name)
  stored(80_000 + 4_000_000)
  const said = (listing: string) => {
    const { id, short_id } = JSON.parse(listing.slice(0, listing.indexOf('\n')))
    return before.replaceAll(first.snapshotId, id).replaceAll(first.snapshotId.slice(0, 8), short_id)
  }
  await backUp({ said })
  expect(await found()).toMatchObject([{ sign: 'content', numbers: { changed: 40 } }])
})

test('a company does not decide what is another’s, and of ten decisions at once one counts', async () => {
  const { app, names, backUp, encrypt, found, items, decide } = await scene()
  await backUp()
  for (const name of names) encrypt(name)
  await backUp()
  const [{ id } = { id: '' }] = await found()
  const other = await otherCompany(app)
  passFactor(app, other.admin.token)
  expect((await decide(id, 'expected', other.admin.token)).body.code).toBe('unusual_change_not_found')
  expect(auditOf(app, 'backup.unusual_change.decide')).toEqual([])
  expect(await found()).toMatchObject([{ state: 'open' }])
  expect(await items()).toContainEqual(['unusual_change', 'critical'])
  const decisions = await Promise.all(Array.from({ length: 10 }, () => decide(id, 'expected')))
  expect(decisions.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
})

test('nobody decides without a second factor in that session, without the permission, or about another site', async () => {
  const { app, admin, org, names, backUp, encrypt, found, decide } = await scene()
  await backUp()
  for (const name of names) encrypt(name)
  await backUp()
  const [{ id } = { id: '' }] = await found()
  await withFactor(app, admin.token)
  const withoutFactor = await sessionOf(app, admin.userId)
  const elsewhere = await siteOf(app, admin.token, org.id, 'Elsewhere')
  const scope = { scope: 'organization', orgId: org.id } as const
  const viewer = await person(app, { email: 'v@acme.test', role: 'Org Viewer', ...scope })
  const confined = await person(app, { email: 's@acme.test', siteIds: [elsewhere.id], ...scope })
  for (const { token } of [viewer, confined]) passFactor(app, token)
  const before = await contents(app)
  for (const [token, status, code] of [
    [withoutFactor, 403, 'MFA_REQUIRED'],
    [viewer.token, 403, 'permission_denied'],
    [confined.token, 404, 'unusual_change_not_found'],
  ] as const)
    expect(await decide(id, 'expected', token)).toMatchObject({ status, body: { code } })
  expect(await contents(app)).toEqual(before)
  const seen = await app.call(listUnusualChanges, { query: {} } as never, { token: confined.token })
  expect(seen.body.data).toEqual([])
})

test('the people whom the policy names are mailed once, by the mail server, without names of files', async () => {
  await using server = await mailServer()
  const { app, org, token, names, backUp, encrypt, found } = await scene(server.env)
  const policy = (await app.call(createPolicy, { body: { name: 'Nightly', orgId: org.id } }, { token })).body
  const settings = {
    ...{ backupMode: 'file', targets: { paths: ['/home'] }, notify: { emails: ['ops@acme.test', 'boss@acme.test'] } },
    schedule: { frequency: 'daily', time: '02:00', timezone: 'UTC' },
  }
  const link = { params: { id: policy.id }, body: { featureType: 'backup' as const, inlineSettings: settings } }
  expect((await app.call(addPolicyLink, link as never, { token })).status).toBe(201)
  const target = { params: { id: policy.id }, body: { level: 'organization' as const, targetId: org.id } }
  expect((await app.call(assignPolicy, target, { token })).status).toBe(201)
  await backUp()
  for (const name of names) encrypt(name)
  await backUp()
  expect(await found()).toHaveLength(1)
  for (let times = 0; times < 3; times++)
    expect(await app.app.jobs.runNow('backup.mail')).toMatchObject({ lastError: null })
  const unusual = () => server.received.filter(({ raw }) => /^Subject: .*Unusual change/m.test(raw))
  await eventually(() =>
    expect(
      unusual()
        .map(({ to }) => to)
        .sort(),
    ).toEqual(['boss@acme.test', 'ops@acme.test']),
  )
  expect(unusual()[0]?.raw).toContain('may be ransomware')
  expect(unusual()[0]?.raw).not.toMatch(/file \d+\.docx/)
})
