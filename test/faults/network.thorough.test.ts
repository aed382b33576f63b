import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { backupScene } from './scene.ts'
import { wireTo } from './wire.ts'

/** The way from the device to the appliance is cut in the middle of a backup; restic itself gives up after a minute. */

const cutMs = 100_000

test('a backup outlasts a cut of the network, and the next one works', async () => {
  const wires: Awaited<ReturnType<typeof wireTo>>[] = []
  const at = await backupScene({
    limitMbps: 80,
    through: async (origin) => {
      const wire = await wireTo(origin)
      wires.push(wire)
      return wire.origin
    },
  })
  const [wire] = wires
  const agent = at.device.start()
  await at.isReady(at.device.id)
  at.addFiles('first')
  const id = await at.run()
  await at.isUploading()
  wire?.cut()
  await sleep(cutMs)
  expect((await at.job(id)).status).toBe('running')
  wire?.mend()
  expect(await at.ended(id, 180_000), agent.output()).toMatchObject({ status: 'completed', errorLog: null })
  await at.assertTruth()
  at.addFiles('second', 1)
  await at.isReady(at.device.id)
  expect((await at.ended(await at.run())).status).toBe('completed')
  await at.assertTruth()
  expect(await at.assertAllRestore()).toBe(2)
})
