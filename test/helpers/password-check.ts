import { createRequire } from 'node:module'

/** Lets a test hold a password comparison, so that it can do something meanwhile, however fast the machine is. */

interface Held {
  begin: () => void
  released: Promise<void>
}
const held = new Map<string, Held>()

/** The next time a password is compared with this hash, that waits until it is released. */
export function holdPasswordCheck(hash: string): { begun: Promise<void>; release: () => void } {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  held.set(hash, { begin: begun.resolve, released: released.promise })
  return { begun: begun.promise, release: released.resolve }
}

async function untilReleased(hash: string): Promise<void> {
  const hold = held.get(hash)
  held.delete(hash)
  hold?.begin()
  await hold?.released
}

const argon2 = createRequire(import.meta.url)('argon2') as typeof import('argon2')
const { verify } = argon2
Object.assign(argon2, {
  verify: async (hash: string, secret: string) => {
    await untilReleased(hash)
    return verify(hash, secret)
  },
})
