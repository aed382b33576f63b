import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Runs in a separate process, because the process of the tests hashes with cheap parameters. */
async function inOwnProcess<T>(expression: string): Promise<T> {
  const code = `
    import { hashPassword, passwordMatches } from ${JSON.stringify(new URL('./hashing.ts', import.meta.url).href)}
    console.log(JSON.stringify(await ${expression}))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
  return JSON.parse(stdout) as T
}

test('a password is hashed with argon2id of 64 MiB, three passes and four lanes, with a salt of its own', async () => {
  const [first, second, right, wrong] = await inOwnProcess<[string, string, boolean, boolean]>(`(async () => {
    const first = await hashPassword('Correct1Horse')
    const second = await hashPassword('Correct1Horse')
    return [first, second, await passwordMatches(first, 'Correct1Horse'), await passwordMatches(first, 'correct1horse')]
  })()`)
  expect(first).toMatch(/^\$argon2id\$v=19\$(?=.*\bm=65536\b)(?=.*\bt=3\b)(?=.*\bp=4\b)/)
  expect(first).not.toBe(second)
  expect([right, wrong]).toEqual([true, false])
})

test('no password matches an unknown user or a user without a password', async () => {
  const matches = await inOwnProcess<boolean[]>(
    `Promise.all([undefined, null].map((stored) => passwordMatches(stored, 'there is no such user')))`,
  )
  expect(matches).toEqual([false, false])
})
