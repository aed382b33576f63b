import type { Provider } from '../provider/store.ts'
import { endpointColumns, neededEndpoints } from './endpoints.ts'

const columnLabels = {
  client_id: 'client ID',
  client_secret: 'client secret',
  issuer: 'issuer',
  authorization_url: 'authorization endpoint',
  token_url: 'token endpoint',
  jwks_url: 'key set',
} as const
const requiredColumns = [
  'client_id',
  'client_secret',
  'issuer',
  ...neededEndpoints.map((name) => endpointColumns[name]),
] as const

/** Why nobody can sign in through a provider yet, in words for its administrator; null where they can. */
export function missingSettings(row: Provider): string | null {
  if (row.type === 'saml') return 'SAML is not available for signing in'
  const missing = requiredColumns.filter((column) => row[column] === null).map((column) => columnLabels[column])
  return missing.length > 0 ? `it has no ${new Intl.ListFormat('en', { type: 'disjunction' }).format(missing)}` : null
}
