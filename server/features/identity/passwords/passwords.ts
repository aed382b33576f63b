import { argon2id, hash, verify } from 'argon2'

const cost = { type: argon2id, memoryCost: 64 * 1024, timeCost: 3, parallelism: 4, hashLength: 32 } as const

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

let dummy: Promise<string> | null = null

/** Takes the same time whether or not there is a hash to compare with. */
export async function passwordMatches(stored: string | null | undefined, password: string): Promise<boolean> {
  dummy ??= hashPassword('there is no such user')
  const matches = await verify(stored ?? (await dummy), password)
  return matches && stored !== null && stored !== undefined
}
