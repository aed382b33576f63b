import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { backupScene } from './scene.ts'

/** Backups that are canceled at any moment. */

/** About as long as the agent tells the appliance the names of the files. */
const listingMs = 500

/** Fractions that are the same each time. */
function* fractions(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    yield state / 2 ** 32
  }
}

test('a canceled backup stays canceled, the next one begins at once, and the appliance knows every snapshot', async () => {
  const at = await backupScene({ limitMbps: 80 })
  const agent = at.device.start()
  await at.isReady(at.device.id)
  const locks = () => readdirSync(join(at.repository().folder, 'locks'))
  const snapshots = () => readdirSync(join(at.repository().folder, 'snapshots')).length
  const snapshotAfter = async (before: number) => {
    while (snapshots() === before) await sleep(2)
  }
  const random = fractions(17)
  const begun = performance.now()
  at.addFiles('first')
  expect((await at.ended(await at.run())).status).toBe('completed')
  const wholeMs = performance.now() - begun

  const moments = 40
  for (let moment = 0; moment < moments; moment++) {
    at.addFiles(`moment ${moment}`, 4)
    const before = snapshots()
    const id = await at.run()
    // Every other time when the snapshot has just been made.
    if (moment % 2 === 1) await snapshotAfter(before)
    await sleep(random.next().value * (moment % 2 === 1 ? listingMs : wholeMs))
    const { status } = await at.job(id)
    const canceled = await at.cancel(id).then(
      (job) => job.status,
      () => 'not cancelable',
    )
    if (status === 'completed') expect(canceled).toBe('not cancelable')
    else expect(['cancelled', 'not cancelable']).toContain(canceled)
    // Without waiting for the device: it has to end the one before it begins this one.
    const next = await at.ended(await at.run())
    expect(next, agent.output()).toMatchObject({ status: 'completed', errorLog: null })
    expect((await at.job(id)).status).toBe(canceled === 'cancelled' ? 'cancelled' : 'completed')
    await at.assertTruth()
    // The appliance may be reading the new snapshot; what a stopped restic leaves would stay.
    await expect.poll(locks, { timeout: 30_000 }).toEqual([])
  }
  expect(agent.child.exitCode, agent.output()).toBeNull()
  expect(await at.assertAllRestore()).toBeGreaterThan(moments)
})
