import type { Updateable } from 'kysely'
import { keysOf } from '../../../../shared/objects.ts'
import { AppError } from '../../../platform/errors.ts'
import { assertAuthorizationEndpoint, type Outbound, OutboundError, withoutSlash } from '../outbound/index.ts'
import { ownerOf, type Provider } from '../provider/store.ts'
import type { SsoProviderTable } from '../tables.ts'
import { columnsBeside, type DiscoveryAnswer, discoveredColumns } from './issuer-discovery.ts'
import type { Update } from './settings.ts'

/** Issuer and endpoints of a provider: found by discovery, or entered by an administrator. */

export const endpointColumns = {
  authorizationUrl: 'authorization_url',
  tokenUrl: 'token_url',
  userInfoUrl: 'userinfo_url',
  jwksUrl: 'jwks_url',
} as const
type Endpoint = keyof typeof endpointColumns
const endpoints = keysOf(endpointColumns)
/** Endpoints that signing in requires; some providers have no userinfo endpoint. */
export const neededEndpoints = ['authorizationUrl', 'tokenUrl', 'jwksUrl'] as const satisfies Endpoint[]

type Columns = Pick<
  Updateable<SsoProviderTable>,
  'issuer' | (typeof endpointColumns)[Endpoint] | 'discovery_metadata' | 'discovery_error'
>

/** A trailing slash makes no difference: the issuer is stored as its discovery document spells it. */
export const changesIssuer = (before: Provider, { issuer }: Update): boolean =>
  issuer !== undefined && withoutSlash(issuer ?? '') !== withoutSlash(before.issuer ?? '')

/** The issuer whose discovery document is needed before this update can be saved; null for none. */
export function issuerToAsk(before: Provider, input: Update): string | null {
  const issuer = input.issuer === undefined ? before.issuer : input.issuer
  if ((input.type ?? before.type) !== 'oidc' || issuer === null) return null
  if (changesIssuer(before, input)) return issuer
  // Forms send every field, so saving again retries a discovery that failed.
  const isSentAgain = input.issuer !== undefined || (input.type !== undefined && input.type !== before.type)
  const isMissing = neededEndpoints.some(
    (name) => !clears(before, input, name) && !(input[name] ?? before[endpointColumns[name]]),
  )
  return input.rediscover || (isSentAgain && isMissing) ? before.issuer : null
}

/** Issuer and endpoint columns after an update: values of the update win over those of the discovery document. */
export function changedEndpoints(before: Provider, input: Update, answer: DiscoveryAnswer | null): Columns {
  const entered = Object.fromEntries(
    endpoints
      .filter((name) => input[name] || clears(before, input, name))
      .map((name) => [endpointColumns[name], input[name]]),
  )
  const columns: Columns = { ...issuerColumn(before, input), ...foundColumns(before, input, answer), ...entered }
  const after = { ...before, ...columns }
  const isComplete = neededEndpoints.every((name) => after[endpointColumns[name]] !== null)
  if (answer && 'error' in answer) return { ...columns, discovery_error: answer.error }
  return isComplete ? { ...columns, discovery_error: null } : columns
}

const issuerColumn = (before: Provider, input: Update): Columns =>
  changesIssuer(before, input) ? { issuer: input.issuer ?? null, discovery_metadata: null } : {}

function foundColumns(before: Provider, input: Update, answer: DiscoveryAnswer | null): Columns {
  if (!answer || 'error' in answer) return {}
  const isAnew = input.rediscover || changesIssuer(before, input)
  return isAnew ? discoveredColumns(answer.found) : columnsBeside(before, answer.found)
}

/** An empty field clears an endpoint only where one is stored. */
const clears = (before: Provider, input: Update, name: Endpoint): boolean =>
  input[name] === null && before[endpointColumns[name]] !== null

/** Whether an endpoint changes; forms send unchanged values, too. */
export const namesOtherEndpoint = (before: Provider, input: Update): boolean =>
  endpoints.some((name) => input[name] && input[name] !== before[endpointColumns[name]])

/** @throws AppError `unsafe_endpoint` for an address that the appliance may not connect to */
export async function assertEndpointsAllowed(outbound: Outbound, provider: Provider, input: Update): Promise<void> {
  await Promise.all(
    endpoints.map(async (name) => {
      const url = input[name]
      if (!url) return
      try {
        if (name === 'authorizationUrl') assertAuthorizationEndpoint(url)
        await outbound.assertAllowed(url, ownerOf(provider))
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error
        const message = `${name}: ${error.message}`
        throw new AppError('unsafe_endpoint', { error: message, message })
      }
    }),
  )
}

/** Whether the token endpoint moves to another server. The client secret must not be sent there: it was entered for one. */
export function leavesTokenEndpoint({ token_url: before }: Provider, after: string | null): boolean {
  return before !== null && (after === null || URL.parse(after)?.origin !== URL.parse(before)?.origin)
}
