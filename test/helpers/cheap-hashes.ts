import { createRequire } from 'node:module'
import './cheap-hashes-preload.mjs'
import { untilPasswordCheckIsReleased } from './password-check.ts'

/**
 * Passwords are hashed and compared by the real argon2, but at its lowest cost: the thousands of sign-ins in tests would
 * take minutes. `hashing.test.ts` looks at what the appliance asks for, in a process of its own.
 */
const argon2 = createRequire(import.meta.url)('argon2') as typeof import('argon2')
const { verify } = argon2
Object.assign(argon2, {
  verify: async (digest: string, secret: string) => {
    await untilPasswordCheckIsReleased(digest)
    return verify(digest, secret)
  },
})
