import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect as dial } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runBackup } from '../../shared/api/backup-jobs.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import { eventually } from '../helpers/eventually.ts'
import { enrollBody } from '../helpers/factories.ts'
import { connect } from '../helpers/fake-device.ts'
import { call } from '../kill/scene.ts'
import { type BackupScene, backupScene, hashesOf } from './scene.ts'

/** A device that was taken over attacks the backup store with what it was given for a backup of its own. */

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** A device of the organization whose agent does what it likes; it has been told to back up. */
async function attacker({ origin, key, token }: BackupScene) {
  const enrolled = await call(origin, enroll, { body: enrollBody(key.key, 'attacker') })
  const socket = await connect(origin, enrolled as never)
  onTestFinished(() => socket.close())
  const beat = () =>
    call(
      origin,
      heartbeat,
      {
        params: { agentId: enrolled.agentId },
        body: { status: 'ok', agentVersion: '0.1.0', backupVersion: 'restic/0.14.0' },
      },
      enrolled.authToken,
    )
  await beat()
  const order = async () => {
    // That it has an engine is known a moment after its heartbeat.
    const { id } = await eventually(() => call(origin, runBackup, { params: { deviceId: enrolled.deviceId } }, token))
    const { payload } = await socket.frame((frame) => frame.id === id)
    const { engine } = payload as { engine: { repositoryId: string; place: Place } }
    return { id, ...engine }
  }
  const finish = async (commandId: string) => {
    socket.send({ type: 'command_result', commandId, status: 'failed', result: { status: 'failed', error: 'none' } })
    await socket.settled()
  }
  return { ...enrolled, beat, order, finish }
}

interface Place {
  path: string
  username: string
  password: string
}

const authorizationOf = ({ username, password }: Place) => `Basic ${btoa(`${username}:${password}`)}`

/** Sends a request line as it is, which no client library would. */
async function raw(
  origin: string,
  line: string,
  authorization: string,
  headers: string[] = [],
  body = '',
): Promise<number> {
  const socket = dial(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    [
      `${line} HTTP/1.1`,
      'host: box',
      `authorization: ${authorization}`,
      'connection: close',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  )
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await once(socket, 'close')
  const answer = Buffer.concat(chunks).toString('latin1')
  // The console answers addresses that nothing else knows.
  return /^content-type: text\/html/im.test(answer) ? 404 : Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

/** No answer at all is one, too. */
const isRefusal = (status: number) => status === 0 || (status >= 400 && status < 500)

/** Other ways to say what is not its own, or no object. */
function tricks(own: string, otherId: string, pack: string): string[] {
  const name = sha256('tricks')
  return [
    `${own}../${otherId}/config`,
    `${own}%2e%2e/${otherId}/config`,
    `${own}..%2f${otherId}%2fconfig`,
    `${own}data/..%2f..%2f..%2f${otherId}%2fconfig`,
    `${own}data/..%5c..%5c${otherId}`,
    `${own}locks/%00${name.slice(1)}`,
    `${own}locks/${name}%00`,
    `${own}locks/${name.toUpperCase()}`,
    `${own}LOCKS/${name}`,
    `${own}locks/${'a'.repeat(8000)}`,
    `${own}${pack}`,
    `//backup-store/${otherId}/config`,
    `/backup-store/${otherId.toUpperCase()}/config`,
    '/backup-store/%2e%2e/homeport.db',
    `http://box/backup-store/${otherId}/config`,
  ]
}

/** A thousand uploads that send one byte and go on when it suits them. */
function flood(repository: string, authorization: string) {
  const answers: (number | undefined)[] = []
  const uploads = Array.from({ length: 1000 }, (_, n) => {
    const headers = { authorization, 'content-length': 1000 }
    const upload = request(`${repository}data/${sha256(`slow ${n}`)}`, { method: 'POST', agent: false, headers })
    upload.on('error', () => {})
    upload.on('response', (answer: IncomingMessage) => answers.push(answer.statusCode))
    upload.write('s')
    return upload
  })
  const end = () => {
    for (const upload of uploads) upload.destroy()
  }
  onTestFinished(end)
  return { answers, end }
}

test('with the credentials of a backup of its own a device harms nobody, and somebody learns of it', async () => {
  const at = await backupScene()
  const agent = at.device.start()
  await at.isReady(at.device.id)
  at.addFiles('victim')
  expect((await at.ended(await at.run())).status).toBe('completed')
  const victim = at.repository()
  const whole = hashesOf(victim.folder)
  const thief = await attacker(at)
  const own = await thief.order()
  const authorization = authorizationOf(own.place)
  const own1 = join(at.appliance.dataDir, 'backups', own.repositoryId)
  const store = (method: string, path: string, body?: string, as = authorization) =>
    fetch(at.origin + path, { method, headers: { authorization: as }, ...(body !== undefined && { body }) })
  const statusOf = async (...args: Parameters<typeof store>) => (await store(...args)).status

  // Its own repository only grows.
  expect(await statusOf('POST', `${own.place.path}?create=true`)).toBe(200)
  expect(await statusOf('POST', `${own.place.path}config`, 'configuration')).toBe(200)
  expect(await statusOf('POST', `${own.place.path}data/${sha256('pack')}`, 'pack')).toBe(200)
  expect(await statusOf('POST', `${own.place.path}config`, 'another')).toBe(403)
  expect(await statusOf('POST', `${own.place.path}data/${sha256('pack')}`, 'kcap')).toBe(400)
  expect(await statusOf('DELETE', `${own.place.path}data/${sha256('pack')}`)).toBe(403)

  // Another’s is closed: to read, to list, to add, to remove.
  const [pack = ''] = Object.keys(whole).filter((name) => name.startsWith('data/'))
  const theirs = `/backup-store/${victim.id}/`
  for (const path of ['', 'config', 'keys/', 'data/', 'snapshots/', `data/${pack.slice('data/00/'.length)}`])
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH'])
      expect([401, 403, 404, 429], `${method} ${path}`).toContain(
        await statusOf(method, theirs + path, method === 'POST' ? 'x' : undefined),
      )

  // Nor by another way to write it.
  for (const path of tricks(own.place.path, victim.id, pack)) {
    for (const method of ['GET', 'DELETE'])
      expect(await raw(at.origin, `${method} ${path}`, authorization), `${method} ${path}`).toSatisfy(isRefusal)
    const upload = await raw(at.origin, `POST ${path}`, authorization, ['content-length: 6'], 'tricks')
    expect(upload, `POST ${path}`).toSatisfy(isRefusal)
  }

  // Lengths that are not true.
  const target = `POST ${own.place.path}locks/${sha256('tricks')}`
  for (const headers of [
    ['content-length: -1'],
    ['content-length: 1e3'],
    ['content-length: 6', 'content-length: 7'],
    ['content-length: 6', 'transfer-encoding: chunked'],
    ['transfer-encoding: chunked'],
    ['content-length: 99999999999999999999'],
    ['content-length: 3'],
  ])
    expect(await raw(at.origin, target, authorization, headers, 'tricks'), headers.join()).toBeGreaterThanOrEqual(400)
  expect(await statusOf('POST', `${own.place.path}data/${sha256('huge')}`, 'x'.repeat(8))).toBe(400)

  // Thousand slow uploads: few are let in, and everybody else goes on.
  const { answers, end } = flood(`${at.origin}${own.place.path}`, authorization)
  await expect.poll(() => answers.length).toBeGreaterThanOrEqual(968)
  expect(new Set(answers)).toEqual(new Set([503]))
  await thief.beat()
  at.addFiles('in the middle of it', 4)
  expect(await at.ended(await at.run()), agent.output()).toMatchObject({ status: 'completed', errorLog: null })
  end()
  await expect.poll(() => readdirSync(join(at.appliance.dataDir, 'backups', '.incoming'))).toEqual([])

  // What it had is of no use any more.
  await thief.finish(own.id)
  expect([401, 429]).toContain(await statusOf('GET', `${own.place.path}data/`))
  const next = await thief.order()
  expect([401, 429]).toContain(await statusOf('GET', `${own.place.path}data/`))
  expect(await statusOf('GET', `${own.place.path}data/`, undefined, authorizationOf(next.place))).toBe(200)
  await thief.finish(next.id)

  // Nothing of all that is there, and the audit log names the device once.
  expect(Object.keys(hashesOf(own1)).sort()).toEqual(['config', `data/${sha256('pack').slice(0, 2)}/${sha256('pack')}`])
  expect(readFileSync(join(own1, 'config'), 'utf8')).toBe('configuration')
  for (const [file, hash] of Object.entries(whole))
    if (!file.startsWith('locks/'))
      expect(existsSync(join(victim.folder, file)) && hashesOf(victim.folder)[file], file).toBe(hash)
  const told = at.look((db) =>
    db
      .statement<{ actor_id: string; result: string; resource_id: string }>(
        "SELECT actor_id, result, resource_id FROM audit_logs WHERE action = 'backup.store.refuse'",
      )
      .all(),
  )
  expect(told).toContainEqual({ actor_id: thief.deviceId, result: 'denied', resource_id: own.repositoryId })
  expect(told.length).toBeLessThanOrEqual(3)
  await at.assertTruth()
  expect(await at.assertAllRestore()).toBe(2)
})
