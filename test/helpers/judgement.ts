/** Lets a test hold the judging of a password, so that something can happen meanwhile, however fast the machine is. */

interface Held {
  begin: () => void
  released: Promise<void>
}
const held = new Map<string, Held>()

/** The next time a password is compared with this hash, that waits until it is released. */
export function holdJudgement(hash: string): { begun: Promise<void>; release: () => void } {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  held.set(hash, { begin: begun.resolve, released: released.promise })
  return { begun: begun.promise, release: released.resolve }
}

/** For what compares passwords, before it does. */
export async function judgementOf(hash: string): Promise<void> {
  const hold = held.get(hash)
  held.delete(hash)
  hold?.begin()
  await hold?.released
}
