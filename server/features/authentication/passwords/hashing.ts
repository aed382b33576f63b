import { argon2id, hash, verify } from 'argon2'
import pLimit from 'p-limit'

const hashOptions = { type: argon2id, memoryCost: 64 * 1024, timeCost: 3, parallelism: 4, hashLength: 32 } as const

/**
 * One hash at a time: each takes one of the four threads of Node's pool and starts four more of its own. Signing tokens and
 * reading files need that pool too, and must not wait behind many sign-ins.
 */
const inTurn = pLimit(1)

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, hashOptions))

let dummyHash: Promise<string> | null = null

/** Takes the same time whether or not there is a hash to compare with. */
export async function passwordMatches(stored: string | null | undefined, password: string): Promise<boolean> {
  dummyHash ??= hashPassword('there is no such user')
  const compared = stored ?? (await dummyHash)
  const matches = await inTurn(() => verify(compared, password))
  return matches && stored !== null && stored !== undefined
}
