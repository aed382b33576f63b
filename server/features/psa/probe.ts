import type { PsaProvider } from '../../../shared/api/psa.ts'
import { second } from '../../platform/clock.ts'
import { type Destinations, Unreachable } from '../../platform/outbound/index.ts'
import type { Credentials } from './credentials.ts'

const basic = (user = '', password = '') => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** A small read that only works signed in, one for each kind of server. */
const requests: Record<PsaProvider, (credentials: Credentials) => { path: string; headers: Record<string, string> }> = {
  connectwise: ({ companyId, publicKey, privateKey, clientId }) => ({
    path: '/v4_6_release/apis/3.0/system/info',
    headers: { authorization: basic(`${companyId}+${publicKey}`, privateKey), ...(clientId && { clientId }) },
  }),
  autotask: ({ username = '', secret = '', integrationCode = '' }) => ({
    path: '/ATServicesRest/V1.0/Companies/entityInformation',
    headers: { ApiIntegrationCode: integrationCode, UserName: username, Secret: secret },
  }),
  servicenow: ({ username, password }) => ({
    path: '/api/now/table/incident?sysparm_limit=1',
    headers: { authorization: basic(username, password) },
  }),
  freshservice: ({ apiKey }) => ({
    path: '/api/v2/tickets?per_page=1',
    headers: { authorization: basic(apiKey, 'X') },
  }),
  zendesk: ({ email, apiToken }) => ({
    path: '/api/v2/tickets/count.json',
    headers: { authorization: basic(`${email}/token`, apiToken) },
  }),
  jira: ({ email, apiToken, username, password, personalAccessToken }) => ({
    path: '/rest/api/2/myself',
    headers: {
      authorization: personalAccessToken
        ? `Bearer ${personalAccessToken}`
        : apiToken
          ? basic(email, apiToken)
          : basic(username, password),
    },
  }),
}

/**
 * Asks the server whether it takes the credentials; null when it does, else why not. Of its answer only the status is
 * looked at and told, so that nobody reads other servers of the network through this one, and a redirect is not
 * followed: credentials go where the administrator said.
 */
export async function probe(
  provider: PsaProvider,
  credentials: Credentials,
  destinations: Destinations,
): Promise<string | null> {
  const { path, headers } = requests[provider](credentials)
  try {
    const response = await destinations.fetch(`${credentials.baseUrl?.replace(/\/+$/, '')}${path}`, {
      headers: { accept: 'application/json', ...headers },
      signal: AbortSignal.timeout(10 * second),
    })
    response.body?.cancel().catch(() => {})
    return response.ok ? null : reasonOf(response.status)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    return error.message
  }
}

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return `The server does not take these credentials (${status})`
  if (status >= 300 && status < 400) return `The address leads elsewhere (${status}); give the one it leads to`
  return `The server answered ${status}`
}
