import { expect, test } from 'vitest'
import { backupLinkSettings } from './backup-plan.ts'

const areGood = (excludes: string[]) =>
  backupLinkSettings.safeParse({ backupMode: 'file', targets: { paths: ['/data'], excludes } }).success

test('what is left out has to be a pattern, and there is an end to how many', () => {
  expect(areGood(['*.tmp', '[ab]*', '[^a-z]', '[[]', 'a]', '**/[a]/[b]', '\\[a]'])).toBe(true)
  for (const bad of ['[', '[]', '[^]', 'a[b', '[a]/[', '[a-]', '[-a]', '[a/b]']) expect(areGood([bad]), bad).toBe(false)
  expect(areGood(Array.from({ length: 1000 }, (_, n) => `${n}`))).toBe(true)
  expect(areGood(Array.from({ length: 1001 }, (_, n) => `${n}`))).toBe(false)
})
