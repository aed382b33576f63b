import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { restic } from '../../agent/testing/restic.ts'
import { listEncryptionKeys, readKeyRotation, rotateEncryptionKey } from '../../shared/api/backup-keys.ts'
import { runJob } from '../../shared/api/system.ts'
import { backupScene } from '../faults/scene.ts'
import { eventually } from '../helpers/eventually.ts'
import { call } from './scene.ts'

/** The appliance is killed while it changes the key of a repository. */

const moments = 40
const longestMs = 5000

test('whenever the appliance is killed, it knows a password that opens the repository, and goes on after the next start', async () => {
  const { appliance, look, repository, token } = await backupScene()
  const { origin } = appliance
  const job = (name: string) => call(origin, runJob, { params: { name } }, token)
  const opens = async ({ folder, password }: ReturnType<typeof repository>) =>
    (await restic(folder, password).run('cat', 'config', '--no-lock')).code === 0
  const had = new Set<string>()
  let interrupted = 0
  for (let moment = 0; moment < moments; moment++) {
    had.add(repository().password)
    const { data: keys } = await call(origin, listEncryptionKeys, {}, token)
    await call(origin, rotateEncryptionKey, { params: { id: keys[0]?.id ?? '' } }, token)
    await job('components.take-installed')
    const rotation = job('backup.rotate-keys').then(
      () => false,
      () => true,
    )
    await sleep((moment * longestMs) / moments)
    await appliance.kill()
    if (await rotation) interrupted++
    expect(await opens(repository()), `killed after ${moment}`).toBe(true)
    // The lock of the dead process runs out in some minutes. What it has started is over by then.
    await eventually(() => expect(resticsOf(appliance.dataDir)).toEqual([]))
    look((db) => db.statement('UPDATE backup_repositories SET lock_until = NULL').run())
    await appliance.start()
  }
  expect(interrupted).toBeGreaterThan(0)

  await job('components.take-installed')
  await job('backup.rotate-keys')
  expect((await call(origin, readKeyRotation, {}, token)).data).toMatchObject({ total: 1, changing: 0 })
  const now = repository()
  had.delete(now.password)
  for (const [n, password] of [...had].entries())
    expect(await opens({ ...now, password }), `the former password ${n}`).toBe(false)
  const listed = JSON.parse(await restic(now.folder, now.password).ok('key', 'list', '--json')) as object[]
  expect(listed).toMatchObject([{ current: true }])
})

/** Processes of restic that the appliance has started. */
const resticsOf = (dataDir: string): string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(join(dataDir, 'restic'))
    } catch {
      return false // It has ended.
    }
  })
