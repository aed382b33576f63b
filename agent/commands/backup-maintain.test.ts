import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { maintainRepository, type RunThere } from '../../shared/node/restic-maintenance.ts'
import { runRestic } from '../restic/restic-run.ts'
import { commandRun, deviceRepository } from '../testing/device-repository.ts'
import { makeQuickRepository, quickPassword } from '../testing/quick-repository.ts'
import { restic } from '../testing/restic.ts'
import { backupMaintain } from './backup.ts'

/** Maintenance of a repository in a folder of the device, with the real restic. */

async function scene() {
  const { folder, url, using, engine, runner: settings } = deviceRepository()
  const source = join(folder, 'source')
  mkdirSync(source)
  makeQuickRepository(url)
  const client = restic(url, quickPassword)
  const ids = async () => {
    const all = JSON.parse(await client.ok('snapshots', '--json')) as { id: string }[] | null
    return (all ?? []).map(({ id }) => id)
  }
  for (const name of ['one', 'two']) {
    writeFileSync(join(source, 'file'), Buffer.concat([Buffer.from(name), randomBytes(500_000)]))
    await client.ok('backup', source)
  }
  const command = backupMaintain(using)
  const progress: unknown[] = []
  const maintain = (payload: object = {}, more: Partial<ResticEngine> = {}) =>
    command.execute(
      { forget: [], isMeasured: false, ...payload, engine: { ...engine, ...more } },
      commandRun((one) => progress.push(one)),
    )
  return { url, client, ids, maintain, progress, engine, settings }
}

test('what the server names goes with its data, the rest stays, and the device says how much is left', async () => {
  const { client, ids, maintain, progress } = await scene()
  const [one = '', two = ''] = await ids()
  expect(await maintain({ forget: [one, 'ab'.repeat(32)], isMeasured: true })).toMatchObject({
    status: 'completed',
    result: { storedBytes: expect.closeTo(500_000, -4) },
  })
  expect(await ids()).toEqual([two])
  expect(progress).toContainEqual({ phase: 'maintaining' })
  await client.ok('check', '--read-data')
  expect(await maintain({ forget: [one] }), 'again').toMatchObject({
    status: 'completed',
    result: { storedBytes: null },
  })
})

test('a lock in use stays, and nothing is removed; neither without the folder, or with another key', async () => {
  const { url, client, ids, maintain } = await scene()
  const [one = ''] = await ids()
  const before = await ids()
  const other = client.start('backup', '--stdin')
  onTestFinished(() => void other.kill('SIGKILL'))
  await expect.poll(async () => (await client.run('list', 'locks', '--no-lock')).stdout.trim()).toMatch(/^\w{64}$/)
  expect(await maintain({ forget: [one] })).toMatchObject({
    status: 'failed',
    error: 'Repository is locked by another operation',
  })
  expect(await ids()).toEqual(before)
  other.kill('SIGKILL')
  await expect.poll(() => other.signalCode).toBe('SIGKILL')
  const gone: ResticEngine['place'] = { at: 'elsewhere', url: `${url}-away`, env: {}, options: [] }
  expect(await maintain({ forget: [one] }, { place: gone })).toMatchObject({
    status: 'failed',
    error: 'The repository is not there. Is the storage connected?',
  })
  expect(await maintain({ forget: [one] }, { password: 'another' })).toMatchObject({ error: 'Repository key rejected' })
  expect(await ids()).toEqual(before)
  expect(await maintain({ forget: [one] }), 'the lock that was left goes').toMatchObject({ status: 'completed' })
})

test('ids in part are refused: restic would take them for any snapshot that begins so', async () => {
  const { ids, maintain } = await scene()
  const before = await ids()
  await expect(maintain({ forget: [before[0]?.slice(0, 8)] })).rejects.toThrow()
  await expect(maintain({ forget: ['latest'] })).rejects.toThrow()
  expect(await ids()).toEqual(before)
})

test('where no other computer can work, what others have locked goes, and what this one has locked stays', async () => {
  const { client, ids, engine, settings } = await scene()
  const there: RunThere = (args, listeners) => runRestic(settings, engine, args, AbortSignal.timeout(60_000), listeners)
  const [one = '', two = ''] = await ids()
  const other = client.start('backup', '--stdin')
  onTestFinished(() => void other.kill('SIGKILL'))
  await expect.poll(async () => (await client.run('list', 'locks', '--no-lock')).stdout.trim()).toMatch(/^\w{64}$/)
  const wish = { forget: [one], isMeasured: false }
  await expect(maintainRepository(there, { ...wish, onlyHost: hostname() })).rejects.toThrow('is locked by another')
  expect(await ids()).toEqual([one, two])
  await maintainRepository(there, { ...wish, onlyHost: 'the appliance' })
  expect(await ids()).toEqual([two])
})
