import { type PsaProvider, psaCredentialSets } from '../../../shared/api/psa.ts'
import { fieldError } from '../../platform/errors.ts'

export type Credentials = Record<string, string>

/**
 * What is stored after a change; null takes a key away. Keys of one way to sign in drop those of the others, so that an
 * old password does not stay behind a new token. Another server gets nothing of what was given for the one before:
 * someone who may change a connection does not thereby learn its secrets.
 * @throws AppError `validation_failed` when something needed is missing or `baseUrl` is no https address
 */
export function mergedCredentials(
  provider: PsaProvider,
  stored: Credentials,
  changes: Record<string, string | null>,
): Credentials & { baseUrl: string } {
  const sets = psaCredentialSets[provider]
  const isNamed = (key: string) => Boolean(changes[key]?.trim())
  const chosen = sets.find((keys) => keys.every(isNamed)) ?? sets.find((keys) => keys.some(isNamed))
  const dropped = chosen ? sets.flat().filter((key) => !chosen.includes(key)) : []
  const credentials = Object.fromEntries(
    Object.entries({ ...(isElsewhere(stored, changes) ? {} : stored), ...changes }).flatMap(
      ([key, value]): [string, string][] => (value?.trim() && !dropped.includes(key) ? [[key, value]] : []),
    ),
  )
  const baseUrl = usableBaseUrl(credentials.baseUrl)
  assertComplete(sets, credentials)
  return { ...credentials, baseUrl }
}

const isElsewhere = (stored: Credentials, { baseUrl }: Record<string, string | null>): boolean =>
  Boolean(baseUrl && stored.baseUrl !== undefined && originIn(baseUrl) !== originIn(stored.baseUrl))
const originIn = (address: string) => URL.parse(address)?.origin

/** The server may stand in the same network, so private addresses are fine; what is not encrypted is not. */
function usableBaseUrl(baseUrl: string | undefined): string {
  if (!baseUrl) throw fieldError('credentials', 'baseUrl is required')
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  // Also an empty query: what is asked for would become part of it.
  const isPlain = url && !url.username && !url.password && !/[?#]/.test(baseUrl)
  if (url?.protocol !== 'https:' || !isPlain)
    throw fieldError('credentials', 'baseUrl must be an https address without user, query or fragment')
  return baseUrl
}

function assertComplete(sets: readonly (readonly string[])[], credentials: Credentials): void {
  if (sets.some((keys) => keys.every((key) => credentials[key]))) return
  const begun = sets.filter((keys) => keys.some((key) => credentials[key]))
  const missing = (begun.length > 0 ? begun : sets).map((keys) => keys.filter((key) => !credentials[key]).join(' and '))
  throw fieldError('credentials', `${missing.join(', or ')} required`)
}
