import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killableAppliance } from './scene.ts'

test('what restic was handed in files is gone when an appliance that was killed is back', async () => {
  const { dataDir, kill, start } = await killableAppliance()
  await kill()
  const folder = join(dataDir, 'restic', 'run-Ab12')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'password'), 'secret')
  await start()
  expect(existsSync(folder)).toBe(false)
})
