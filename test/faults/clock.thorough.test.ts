import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { hour } from '../../server/platform/clock.ts'
import { killableAppliance } from '../kill/scene.ts'
import { backupScene } from './scene.ts'

/** The clock of the appliance or of a device is set in the middle of a backup. */

const preload = (name: string) =>
  `--import ${pathToFileURL(join(import.meta.dirname, '..', 'helpers', `${name}-preload.mjs`)).href}`

/** Less than a device’s access to the store lasts, which would end with the clock that is set forward again. */
const jump = 20 * hour

/** A clock that can be set, and what a process needs to follow it. */
function clockOf(name: string) {
  const file = join(scratchFolder(), name)
  const set = (offsetMs: number) => writeFileSync(file, String(offsetMs))
  set(0)
  return { set, environment: { TEST_CLOCK_FILE: file, NODE_OPTIONS: preload('set-clock') } }
}

test('a backup ends well although clocks are set back and forward meanwhile, and so does the next one', async () => {
  const [ours, theirs] = [clockOf('appliance'), clockOf('device')]
  const NODE_OPTIONS = `${preload('cheap-hashes')} ${preload('set-clock')}`
  const appliance = await killableAppliance({ ...ours.environment, NODE_OPTIONS })
  const at = await backupScene({ appliance, environment: theirs.environment, limitMbps: 80 })
  at.device.start()
  await at.isReady(at.device.id)
  const steps = [
    [ours, -jump],
    [theirs, -jump],
    [theirs, 0],
    [ours, 0],
  ] as const
  for (const [n, [clock, offset]] of steps.entries()) {
    at.addFiles(`step ${n}`, 12)
    const id = await at.run()
    await at.isUploading()
    clock.set(offset)
    expect(await at.ended(id), `step ${n}`).toMatchObject({ status: 'completed', errorLog: null })
    await at.assertTruth()
  }
  expect(await at.assertAllRestore()).toBe(steps.length)
})
