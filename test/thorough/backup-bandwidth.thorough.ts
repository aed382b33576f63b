import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { protectedDevice } from '../flows/backup-agent-kit.ts'

test('the limit of a policy slows an upload down to it', async () => {
  const megabits = 16
  const bytes = 40_000_000
  const { source, backedUp } = await protectedDevice({ settings: { bandwidthLimitMbps: megabits } })
  // The first one makes the repository, which takes its time.
  await backedUp()
  writeFileSync(join(source, 'large'), randomBytes(bytes))
  const began = performance.now()
  expect(await backedUp()).toMatchObject({ status: 'completed', fileCount: 3 })
  const expectedMs = (bytes * 8) / (megabits * 1000)
  // What begins at once is not counted, and a busy machine may take longer.
  expect(performance.now() - began).toBeGreaterThan(expectedMs / 2)
})
