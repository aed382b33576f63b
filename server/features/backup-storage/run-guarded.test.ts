import type { RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../../agent/testing/restic.ts'
import { findInstalledRestic } from '../../../shared/node/restic.ts'
import { reasonFrom, refusalOf } from '../../../shared/node/restic-refusals.ts'
import { askedServer } from '../../../test/helpers/asked-server.ts'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { AddressList } from '../../lib/address-list.ts'
import { Destinations, Names } from '../../platform/outbound/index.ts'
import { providers, type ResticTarget } from './providers/index.ts'
import { runGuarded } from './run-guarded.ts'

/** 127.0.0.2 stands for a storage that may be asked, 127.0.0.1 for the appliance; only the appliance knows their names. */
async function scene(answer: RequestListener = (_request, response) => response.writeHead(404).end()) {
  const appliance = await askedServer('127.0.0.1', (_request, response) => response.end('internal'))
  const storage = await askedServer('127.0.0.2', (request, response) => {
    response.setHeader('location', `http://127.0.0.1:${appliance.port}${request.url}`)
    answer(request, response)
  })
  const names = { 'storage.test': '127.0.0.2', 'rebound.test': '127.0.0.1' }
  const enough = new AbortController()
  let questions = 0
  const resolve = async (host: string) => {
    if (++questions > 2) enough.abort()
    return [names[host as keyof typeof names]]
  }
  const allowed = new AddressList(['127.0.0.2'])
  const destinations = new Destinations(new Names(resolve, new FakeClock()), allowed, async () => {})
  onTestFinished(() => destinations.close())
  const file = (await findInstalledRestic(process.env))?.file ?? ''
  /** Looks for a repository, and gives up with the first failure, or the third question, as restic itself would not. */
  const look = (target: ResticTarget | null) => {
    const runner = { file, folder: scratchFolder(), cacheFolder: null }
    const repository = { ...(target as ResticTarget), password: 'p' }
    return runGuarded(destinations, runner, repository, ['cat', 'config'], enough.signal, {
      onComplaint: () => enough.abort(),
    })
  }
  const rest = (host: string, port = storage.port) =>
    providers.rest.target({ url: `http://${host}:${port}/all`, username: 'u', password: '1%:é' }, 'org/device')
  const s3 = (host: string, port = storage.port) =>
    providers.s3.target(
      { endpoint: `http://${host}:${port}`, bucket: 'backups', region: 'eu-1', accessKey: 'a', secretKey: 's' },
      'org/device',
    )
  return { appliance, storage, look, rest, s3 }
}

test.each(['rest', 's3'] as const)('restic asks a %s storage at the address that was checked', async (kind) => {
  const { look, storage, appliance, ...targets } = await scene()
  const end = await look(targets[kind]('storage.test'))
  expect(refusalOf(end)).toBe('no-repository')
  expect(reasonFrom(end)).not.toMatch(/homeport|127\.0|1%/)
  expect(storage.asked).toContain(kind === 'rest' ? 'HEAD /all/org-device/config' : 'HEAD /backups/org/device/config')
  expect(appliance.asked).toEqual([])
})

test.each(['rest', 's3'] as const)(
  'restic cannot be led to the appliance by the name of a %s storage',
  async (kind) => {
    const { look, storage, appliance, ...targets } = await scene()
    const { port } = new URL(`http://x:${appliance.port}`)
    const target = targets[kind]('rebound.test')
    const url = target?.url.replace(`:${storage.port}`, `:${port}`) ?? ''
    const end = await look({ env: {}, options: [], ...target, url })
    expect(end.code).not.toBe(0)
    expect([storage.asked, appliance.asked]).toEqual([[], []])
  },
)

test.each(['rest', 's3'] as const)('restic does not follow a %s storage that leads to the appliance', async (kind) => {
  const { look, storage, appliance, ...targets } = await scene((_request, response) => response.writeHead(307).end())
  const end = await look(targets[kind]('storage.test'))
  expect(end.code).not.toBe(0)
  expect(storage.asked).not.toEqual([])
  expect(appliance.asked).toEqual([])
})
