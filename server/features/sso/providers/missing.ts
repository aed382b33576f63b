import type { Provider } from '../store.ts'
import { endpointColumns, neededEndpoints } from './endpoints.ts'

const words = {
  client_id: 'client ID',
  client_secret: 'client secret',
  issuer: 'issuer',
  authorization_url: 'authorization endpoint',
  token_url: 'token endpoint',
  jwks_url: 'key set',
} as const
const needed = [
  'client_id',
  'client_secret',
  'issuer',
  ...neededEndpoints.map((name) => endpointColumns[name]),
] as const

/** What keeps people from signing in through a provider, for whoever set it up; null for nothing. */
export function missingIn(row: Provider): string | null {
  if (row.type === 'saml') return 'SAML is not available for signing in'
  const missing = needed.filter((column) => row[column] === null).map((column) => words[column])
  return missing.length > 0 ? `it has no ${new Intl.ListFormat('en', { type: 'disjunction' }).format(missing)}` : null
}
