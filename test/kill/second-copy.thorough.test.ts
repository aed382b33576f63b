import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { createVault, readVaultStatus, syncVault } from '../../shared/api/backup-vaults.ts'
import { runJob } from '../../shared/api/system.ts'
import { backupScene } from '../faults/scene.ts'
import { eventually } from '../helpers/eventually.ts'
import { call } from './scene.ts'

/** The appliance is killed while it makes a second copy. */

const moments = 30
const longestMs = 4000

test('whenever the appliance is killed, the second copy is whole or made whole after the next start', async () => {
  const { appliance, repository, device, isReady, run, ended, token } = await backupScene()
  device.start()
  await isReady(device.id)
  const { origin } = appliance
  const job = (name: string) => call(origin, runJob, { params: { name } }, token)
  expect(await ended(await run())).toMatchObject({ status: 'completed' })
  const { password } = repository()
  for (let moment = 0; moment < moments; moment++) {
    const disk = scratchFolder()
    await job('components.take-installed')
    const wanted = { deviceId: null, place: 'appliance' as const, vaultPath: disk }
    const { id } = await call(origin, createVault, { body: wanted }, token)
    await call(origin, syncVault, { params: { id }, body: {} }, token)
    await sleep((moment * longestMs) / moments)
    await appliance.kill()
    await eventually(() => expect(resticsOf(appliance.dataDir)).toEqual([]))
    await appliance.start()
    await job('components.take-installed')
    await eventually(async () => {
      await job('backup.sync-copies')
      expect(await call(origin, readVaultStatus, { params: { id } }, token)).toMatchObject({
        lastSyncStatus: 'completed',
        lastSyncError: null,
      })
    })
    const copy = restic(join(disk, readdirSync(disk)[0] ?? ''), password)
    // Of a run that ended with the appliance; one that is in use stays.
    await copy.ok('unlock')
    await copy.ok('check', '--read-data')
    expect(JSON.parse(await copy.ok('snapshots', '--json')), `killed after ${moment}`).toHaveLength(1)
  }
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
