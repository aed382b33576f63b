import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentVersion } from './version.ts'

test('the agent carries the version of the product', () => {
  expect(agentVersion).toBe(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
})
