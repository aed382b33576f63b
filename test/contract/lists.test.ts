import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** What features declare and one list spreads: of two of one name only the last would count. */
test.each([
  ['errors', 'shared/errors/*.ts', 'Errors', 'shared/errors/index.ts'],
  ['audit actions', 'shared/audit-actions/*.ts', 'Actions', 'shared/audit-actions/index.ts'],
  ['limits', 'server/{features,platform}/**/limits.ts', 'Limits', 'server/limits.ts'],
  ['tables', 'server/{features,platform}/**/*tables.ts', 'Tables', 'server/tables.ts'],
])('no two features declare %s of one name, and the list has every declaration', async (_, pattern, suffix, list) => {
  const owners = new Map<string, string[]>()
  const spread = readFileSync(join(root, list), 'utf8')
  for await (const file of glob(pattern, { cwd: root })) {
    if (file === list) continue
    const exported: Record<string, unknown> = await import(join(root, file))
    for (const [name, declared] of Object.entries(exported)) {
      if (!name.endsWith(suffix)) continue
      expect(spread, `${file} is spread`).toContain(`...${name},`)
      for (const key of Object.keys(declared as object)) owners.set(key, [...(owners.get(key) ?? []), file])
    }
  }
  expect(owners.size).toBeGreaterThan(40)
  expect([...owners].filter(([, files]) => files.length > 1)).toEqual([])
})
