import { type ApiKeyScope, grantsOf } from '../../../shared/api/api-keys.ts'
import { grantAllows, type Permission } from '../../../shared/permissions.ts'
import { shellQuote } from '../../lib/shell-quote.ts'

/** File name of the CA certificate, here and on the appliance's page. */
export const caFileName = 'homeport-ca.crt'

const readable: readonly { permission: Permission; path: string }[] = [
  { permission: 'devices:read', path: '/api/v1/devices' },
  { permission: 'users:read', path: '/api/v1/users' },
]

interface Facts {
  origin: string
  key: string
  scopes: readonly ApiKeyScope[]
  /** The appliance has its own certificate authority, which curl does not know. */
  isOwnAuthority: boolean
}

/** A command that reads with the key and changes nothing; null if the scopes permit no reading. */
export function exampleCommand({ origin, key, scopes, isOwnAuthority }: Facts): string | null {
  const grants = grantsOf(scopes)
  const path = readable.find(({ permission }) => grants.some((grant) => grantAllows(grant, permission)))?.path
  if (!path) return null
  const authority = isOwnAuthority ? ` --cacert ${caFileName}` : ''
  return `curl${authority} -H ${shellQuote(`X-API-Key: ${key}`)} ${shellQuote(origin + path)}`
}
