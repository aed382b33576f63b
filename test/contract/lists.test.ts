import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** What features declare and one list spreads: of two of one name only the last would count. */
test.each([
  ['errors', 'shared/errors/*.ts', 'Errors'],
  ['limits', 'server/{features,platform}/**/limits.ts', 'Limits'],
  ['tables', 'server/{features,platform}/**/*tables.ts', 'Tables'],
])('no two features declare %s of one name, and each declaration is in the list', async (_, pattern, suffix) => {
  const owners = new Map<string, string[]>()
  const list = readFileSync(
    join(root, suffix === 'Errors' ? 'shared/errors/index.ts' : `server/${suffix.toLowerCase()}.ts`),
    'utf8',
  )
  for await (const file of glob(pattern, { cwd: root })) {
    const exported: Record<string, unknown> = await import(join(root, file))
    for (const [name, declared] of Object.entries(exported)) {
      if (!name.endsWith(suffix)) continue
      expect(list, `${file} is spread`).toContain(`...${name},`)
      for (const key of Object.keys(declared as object)) owners.set(key, [...(owners.get(key) ?? []), file])
    }
  }
  expect(owners.size).toBeGreaterThan(40)
  expect([...owners].filter(([, files]) => files.length > 1)).toEqual([])
})
