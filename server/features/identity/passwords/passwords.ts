import { argon2id, hash, verify } from 'argon2'
import pLimit from 'p-limit'

const cost = { type: argon2id, memoryCost: 64 * 1024, timeCost: 3, parallelism: 4, hashLength: 32 } as const

/**
 * One after the other: a hash takes a thread of Node's pool of four and starts four more of its own, which is all a
 * machine has to give. Signing a token and reading a file need that pool too, and must not wait for a crowd at the door.
 */
const inTurn = pLimit(1)

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, cost))

let dummy: Promise<string> | null = null

/** Takes the same time whether or not there is a hash to compare with. */
export async function passwordMatches(stored: string | null | undefined, password: string): Promise<boolean> {
  dummy ??= hashPassword('there is no such user')
  const compared = stored ?? (await dummy)
  const matches = await inTurn(() => verify(compared, password))
  return matches && stored !== null && stored !== undefined
}
