import type { Updateable } from 'kysely'
import { AppError } from '../../../platform/errors.ts'
import { assertAuthorizationEndpoint, type Outbound, OutboundError, withoutSlash } from '../outbound/index.ts'
import { ownerOf, type Provider } from '../store.ts'
import type { SsoProviderTable } from '../tables.ts'
import { type Answer, columnsBeside, discoveredColumns } from './discoveries.ts'
import type { Update } from './settings.ts'

/** The issuer of a provider and where it is asked: found out by discovery, or told by an administrator. */

export const endpointColumns = {
  authorizationUrl: 'authorization_url',
  tokenUrl: 'token_url',
  userInfoUrl: 'userinfo_url',
  jwksUrl: 'jwks_url',
} as const
type Endpoint = keyof typeof endpointColumns
const endpoints = Object.keys(endpointColumns) as Endpoint[]
/** Without these nobody signs in; some providers have no userinfo. */
export const neededEndpoints = ['authorizationUrl', 'tokenUrl', 'jwksUrl'] as const satisfies Endpoint[]

type Columns = Pick<
  Updateable<SsoProviderTable>,
  'issuer' | (typeof endpointColumns)[Endpoint] | 'discovery_metadata' | 'discovery_error'
>

/** A slash at the end is none: the issuer is kept as its own document spells it. */
export const changesIssuer = (before: Provider, { issuer }: Update): boolean =>
  issuer !== undefined && withoutSlash(issuer ?? '') !== withoutSlash(before.issuer ?? '')

/** The issuer that has to be asked before this update can be saved; null for none. */
export function issuerToAsk(before: Provider, wanted: Update): string | null {
  const issuer = wanted.issuer === undefined ? before.issuer : wanted.issuer
  if ((wanted.type ?? before.type) !== 'oidc' || issuer === null) return null
  if (changesIssuer(before, wanted)) return issuer
  // Forms send every field again: to save once more is to try once more.
  const isSentAgain = wanted.issuer !== undefined || (wanted.type !== undefined && wanted.type !== before.type)
  const isMissing = neededEndpoints.some(
    (name) => !clears(before, wanted, name) && !(wanted[name] ?? before[endpointColumns[name]]),
  )
  return wanted.rediscover || (isSentAgain && isMissing) ? before.issuer : null
}

/** What an update makes of issuer and endpoints: what it says itself counts, then what the issuer said. */
export function changedEndpoints(before: Provider, wanted: Update, answer: Answer | null): Columns {
  const told = Object.fromEntries(
    endpoints
      .filter((name) => wanted[name] || clears(before, wanted, name))
      .map((name) => [endpointColumns[name], wanted[name]]),
  )
  const columns: Columns = { ...issuerColumn(before, wanted), ...foundColumns(before, wanted, answer), ...told }
  const after = { ...before, ...columns }
  const isComplete = neededEndpoints.every((name) => after[endpointColumns[name]] !== null)
  if (answer && 'error' in answer) return { ...columns, discovery_error: answer.error }
  return isComplete ? { ...columns, discovery_error: null } : columns
}

const issuerColumn = (before: Provider, wanted: Update): Columns =>
  changesIssuer(before, wanted) ? { issuer: wanted.issuer ?? null, discovery_metadata: null } : {}

function foundColumns(before: Provider, wanted: Update, answer: Answer | null): Columns {
  if (!answer || 'error' in answer) return {}
  const isAnew = wanted.rediscover || changesIssuer(before, wanted)
  return isAnew ? discoveredColumns(answer.found) : columnsBeside(before, answer.found)
}

/** An empty field where nothing is kept says nothing. */
const clears = (before: Provider, wanted: Update, name: Endpoint): boolean =>
  wanted[name] === null && before[endpointColumns[name]] !== null

/** Whether an address is new; forms send again what they were given. */
export const namesOtherEndpoint = (before: Provider, wanted: Update): boolean =>
  endpoints.some((name) => wanted[name] && wanted[name] !== before[endpointColumns[name]])

/** @throws AppError `unsafe_endpoint` for an address that may not be reached */
export async function assertEndpointsAllowed(outbound: Outbound, provider: Provider, wanted: Update): Promise<void> {
  await Promise.all(
    endpoints.map(async (name) => {
      const url = wanted[name]
      if (!url) return
      try {
        if (name === 'authorizationUrl') assertAuthorizationEndpoint(url)
        await outbound.assertAllowed(url, ownerOf(provider))
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error
        const told = `${name}: ${error.message}`
        throw new AppError('unsafe_endpoint', { error: told, message: told })
      }
    }),
  )
}

/** The secret was given for one server; whoever may change the address must not have it sent to another. */
export function leavesTokenEndpoint({ token_url: before }: Provider, after: string | null): boolean {
  return before !== null && (after === null || URL.parse(after)?.origin !== URL.parse(before)?.origin)
}
