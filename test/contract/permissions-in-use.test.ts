import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isInUse } from '../../shared/api/in-use.ts'
import { allPermissions } from '../../shared/permissions.ts'

test('a permission is in use when an endpoint asks for it, alone or as one of two', () => {
  expect((['devices:read', 'sso:admin', 'scripts:execute'] as const).filter(isInUse)).toHaveLength(3)
  expect((['scripts:read', 'quotes:send', 'sites:delete'] as const).filter(isInUse)).toEqual([])
})

test('what console and server check by themselves are permissions that an endpoint asks for, too', () => {
  const root = join(import.meta.dirname, '../..')
  const files = globSync('{renderer,server}/**/*.{ts,tsx}', { cwd: root }).filter((name) => !name.includes('.test.'))
  const checks = files.flatMap((name) =>
    [
      ...readFileSync(join(root, name), 'utf8').matchAll(
        /(?:\bcan\(.{0,20}?, |useReason\(\w+, |permissions\.has\(|grantAllows\(\w+, )'(\w+:\w+)'/g,
      ),
    ].map(([, permission = '']) => ({ name, permission })),
  )
  expect(checks.length).toBeGreaterThan(50)
  const known: readonly string[] = allPermissions.filter(isInUse)
  expect(checks.filter(({ permission }) => !known.includes(permission))).toEqual([])
})
