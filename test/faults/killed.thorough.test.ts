import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { backupScene } from './scene.ts'

/** The agent, the appliance or both are killed in the middle of a backup. */

test('after a kill at any place the job says what happened, the next backup works, and nothing acknowledged is lost', async () => {
  const at = await backupScene({ limitMbps: 80 })
  const namesIn = (folder: string) => readdirSync(join(at.repository().folder, folder))
  let agent = at.device.start()
  await at.isReady(at.device.id)
  const begun = async (name: string) => {
    at.addFiles(name)
    const id = await at.run()
    await at.isUploading()
    return id
  }
  const restarted = async () => {
    await at.device.isQuiet()
    agent = at.device.start()
    await at.isReady(at.device.id)
  }
  const nextWorks = async () => {
    await at.isReady(at.device.id)
    expect(await at.ended(await at.run())).toMatchObject({ status: 'completed', errorLog: null })
    await at.assertTruth()
    await eventually(() => expect(namesIn('locks')).toEqual([]))
  }

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const id = await begun(`agent ended by ${signal}`)
    await agent.stop(signal)
    await restarted()
    expect(await at.ended(id), signal).toMatchObject({ status: 'failed', snapshotId: null })
    await nextWorks()
  }

  // When the snapshot is there and the agent could not say so any more, the next backup finds it.
  const before = namesIn('snapshots').length
  at.addFiles('agent killed with a snapshot', 1)
  const unsaid = await at.run()
  while (namesIn('snapshots').length === before) await sleep(1)
  await agent.stop('SIGKILL')
  await restarted()
  expect(await at.ended(unsaid)).toMatchObject({ status: 'failed', snapshotRowId: null })
  await nextWorks()
  expect(await at.job(unsaid)).toMatchObject({ status: 'failed', snapshotRowId: expect.any(String) })

  // restic and the agent wait for the appliance.
  const waited = await begun('appliance killed')
  await at.appliance.kill()
  await at.appliance.start()
  expect(await at.ended(waited)).toMatchObject({ status: 'completed', errorLog: null })
  await nextWorks()

  const lost = await begun('both killed')
  await Promise.all([at.appliance.kill(), agent.stop('SIGKILL')])
  await at.device.isQuiet()
  await at.appliance.start()
  await restarted()
  expect(await at.ended(lost)).toMatchObject({ status: 'failed', snapshotId: null })
  await nextWorks()

  expect(await at.assertAllRestore()).toBeGreaterThanOrEqual(7)
})
