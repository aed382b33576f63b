import { vi } from 'vitest'

/**
 * Passwords are hashed and compared by the real argon2, but at its lowest cost: the thousands of sign-ins in tests would
 * take minutes. `hashing.test.ts` looks at what the appliance asks for, in a process of its own.
 */
vi.mock('argon2', async (importOriginal) => {
  const { hash, verify, ...real } = await importOriginal<typeof import('argon2')>()
  const { untilPasswordCheckIsReleased } = await import('./password-check.ts')
  const lowest = { memoryCost: 64, timeCost: 1, parallelism: 1 }
  return {
    ...real,
    hash: (secret: string, options: object) => hash(secret, { ...options, ...lowest }),
    verify: async (digest: string, secret: string) => {
      await untilPasswordCheckIsReleased(digest)
      return verify(digest, secret)
    },
  }
})
