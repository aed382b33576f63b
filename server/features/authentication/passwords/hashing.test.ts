import { beforeAll, expect, test, vi } from 'vitest'

// As the appliance runs it, without what test/helpers/cheap-hashes.ts makes of it.
vi.unmock('argon2')
let passwords: typeof import('./hashing.ts')
beforeAll(async () => {
  vi.resetModules()
  passwords = await import('./hashing.ts')
})

test('a password is kept as argon2id of 64 MiB, three passes and four lanes, with a salt of its own', async () => {
  const { hashPassword, passwordMatches } = passwords
  const [first, second] = await Promise.all([hashPassword('Correct1Horse'), hashPassword('Correct1Horse')])
  expect(first).toMatch(/^\$argon2id\$v=19\$(?=.*\bm=65536\b)(?=.*\bt=3\b)(?=.*\bp=4\b)/)
  expect(first).not.toBe(second)
  expect(await passwordMatches(first, 'Correct1Horse')).toBe(true)
  expect(await passwordMatches(first, 'correct1horse')).toBe(false)
})

test('nobody, and a user without a password, match nothing', async () => {
  for (const stored of [undefined, null])
    expect(await passwords.passwordMatches(stored, 'there is no such user')).toBe(false)
})
