import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resticVersion } from '../../shared/node/restic.ts'
import { createLog } from '../log.ts'
import { createServerClient } from '../server-client.ts'
import { agentId, authToken } from '../testing/fake-server.ts'
import { makeFolder } from '../testing/scene.ts'
import { systemTrust } from '../trust.ts'
import { createComponentClient } from './component-client.ts'
import { DeliveredProgram } from './delivered-program.ts'

/** What the agent does with a program that the appliance delivers. */

const isUnix = process.platform !== 'win32'

/** A program that leaves a trace when it is run. */
const programIn = (folder: string, version: string) =>
  Buffer.from(`#!/bin/sh\ntouch '${join(folder, `ran-${version}`)}'\necho "restic ${version} compiled with go"\n`)

const offerOf = (version: string, content: Buffer) => ({
  version,
  sha256: createHash('sha256').update(content).digest('hex'),
  bytes: content.length,
})

async function scene() {
  const folder = await makeFolder()
  const log = createLog({ write: () => {} })
  const store = join(folder, 'store')
  const open = async () => {
    const program = new DeliveredProgram({ component: 'restic', folder: store, versionOf: resticVersion, log })
    await program.open()
    return program
  }
  const program = await open()
  const take = (version: string, content = programIn(folder, version), sent = content) =>
    program.take(offerOf(version, content), async (_, file) => writeFileSync(file, sent))
  return { folder, store, program, take, open, hasRun: (version: string) => existsSync(join(folder, `ran-${version}`)) }
}

test.runIf(isUnix)('takes newer versions only, keeps the one before, and finds it again after a restart', async () => {
  const { store, program, take, open } = await scene()
  expect(program.current).toBeNull()
  expect(await take('0.17.0')).toBe(true)
  expect(program.current).toEqual({ version: '0.17.0', file: join(store, '0.17.0', 'restic') })
  expect(await take('0.17.0')).toBe(false)
  expect(await take('0.16.5')).toBe(false)
  expect(await take('0.18.0')).toBe(true)
  expect(readdirSync(store).toSorted()).toEqual(['0.17.0', '0.18.0', 'current.json'])
  expect(await take('0.18.1')).toBe(true)
  expect(readdirSync(store).toSorted()).toEqual(['0.18.0', '0.18.1', 'current.json'])
  expect((await open()).current?.version).toBe('0.18.1')
})

test.runIf(isUnix)('never runs what does not have its checksum, on its way or later', async () => {
  const { folder, store, program, take, open, hasRun } = await scene()
  await expect(take('0.18.0', Buffer.from('something else'), programIn(folder, '0.18.0'))).rejects.toThrow('checksum')
  expect([program.current, hasRun('0.18.0'), readdirSync(store)]).toEqual([null, false, []])
  await take('0.17.0')
  writeFileSync(join(store, '0.17.0', 'restic'), programIn(folder, '6.6.6'))
  expect((await open()).current).toBeNull()
  expect(hasRun('6.6.6')).toBe(false)
})

test.runIf(isUnix)('a program that does not run on this device is not used, and the former one stays', async () => {
  const { store, program, take } = await scene()
  await take('0.17.0')
  const foreign = Buffer.from('\u007fELF of another kind')
  expect(await take('0.18.0', foreign)).toBe(false)
  expect(program.current?.version).toBe('0.17.0')
  expect(readdirSync(store).toSorted()).toEqual(['0.17.0', 'current.json'])
  let asked = 0
  await program.take(offerOf('0.18.0', foreign), async () => void asked++)
  expect(asked, 'and not fetched again').toBe(0)
})

test.runIf(isUnix)('a newer version waits until no run needs the present one', async () => {
  const { program, take } = await scene()
  await take('0.17.0')
  const [one, other] = [program.hold(), program.hold()]
  const taking = take('0.18.0')
  one()
  one()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(program.current?.version).toBe('0.17.0')
  other()
  expect(await taking).toBe(true)
  expect(program.current?.version).toBe('0.18.0')
})

/** A server that offers a program, and cuts or refuses as it is told. */
async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const log = createLog({ write: () => {} })
  const { signal } = new AbortController()
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createServerClient({ serverUrl, trust: systemTrust(), authToken, log, signal })
  return createComponentClient({ client, agentId, component: 'restic', log, signal })
}

test('a download that breaks off goes on where it ended', async () => {
  const content = Buffer.alloc(300_000, 'restic')
  const ranges: (string | undefined)[] = []
  const source = await serving((request, response) => {
    ranges.push(request.headers.range)
    expect(request.headers.authorization).toBe(`Bearer ${authToken}`)
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': content.length - from })
    if (ranges.length > 1) return void response.end(content.subarray(from))
    response.write(content.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 50))
  })
  const file = join(await makeFolder(), 'part')
  await source.fetch(offerOf('0.18.0', content), file)
  expect(readFileSync(file).equals(content)).toBe(true)
  expect(ranges).toEqual([undefined, 'bytes=100000-'])
})

test('waits as long as a busy appliance asks for, and gives up when it refuses', async () => {
  const content = Buffer.from('restic')
  const statuses = [503, 200, 404]
  const source = await serving((_, response) => {
    const status = statuses.shift() ?? 500
    response.writeHead(status, status === 503 ? { 'retry-after': '1' } : {}).end(status === 200 ? content : undefined)
  })
  const folder = await makeFolder()
  await source.fetch(offerOf('0.18.0', content), join(folder, 'part'))
  expect(readFileSync(join(folder, 'part'), 'utf8')).toBe('restic')
  await expect(source.fetch(offerOf('0.18.1', content), join(folder, 'other'))).rejects.toThrow('404')
})

test('an appliance that knows nothing of components offers none', async () => {
  const asked: (string | undefined)[] = []
  const source = await serving((request, response) => {
    asked.push(request.url)
    response.writeHead(404).end('{}')
  })
  expect(await source.offer()).toBeNull()
  expect(asked).toEqual([expect.stringMatching(/\/agents\/\w+\/components\/restic\?platform=\w+-\w+$/)])
})
