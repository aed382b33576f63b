import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface SessionTable {
  id: string
  user_id: string
  token_hash: string
  ip_address: string | null
  user_agent: string | null
  auth_at: string
  mfa_at: string | null
  mfa_source: 'totp' | 'sms' | 'passkey' | 'recovery' | 'idp' | null
  auth_epoch: number
  mfa_epoch: number
  mobile_device_id: string | null
  created_at: string
  last_used_at: string
  expires_at: string
  membership_id: string | null
  sso_provider_id: string | null
  revoked_at: string | null
  revoked_reason: string | null
}

export interface RefreshTokenTable {
  jti: string
  session_id: string
  expires_at: string
  rotated_at: string | null
}

export interface OneTimeSecretTable {
  kind: string
  key_hash: string
  user_id: string | null
  payload: JsonText<unknown>
  expires_at: string
}

export interface UserPasskeyTable {
  id: string
  user_id: string
  credential_id: string
  public_key: string
  counter: number
  rp_id: string
  device_type: 'singleDevice' | 'multiDevice'
  backed_up: Flag
  transports: JsonText<string[]>
  name: string
  aaguid: string | null
  last_used_at: string | null
  disabled_at: string | null
  created_at: string
  updated_at: string
  sso_provider_id: string | null
}

export const authenticationTables = {
  sessions: table<SessionTable>({
    writtenBy: ['authentication'],
    tenancy: { by: 'none', because: 'read by the session id in a signed token' },
    merge: { policy: 'none', because: 'of an identity; those of members end with the fence' },
    erasure: { goWith: 'membership' },
  }),
  refresh_tokens: table<RefreshTokenTable>({
    writtenBy: ['authentication'],
    tenancy: { by: 'none', because: 'read by the id in a signed token' },
    merge: { policy: 'none', because: 'of a session' },
    erasure: { goWith: 'reference', to: 'sessions' },
  }),
  one_time_secrets: table<OneTimeSecretTable>({
    writtenBy: ['authentication'],
    tenancy: { by: 'none', because: 'read by the hash of a secret' },
    merge: { policy: 'none', because: 'of an identity, and short-lived' },
    erasure: { stay: 'of an identity, and short-lived' },
  }),
  user_passkeys: table<UserPasskeyTable>({
    writtenBy: ['authentication'],
    tenancy: { by: 'none', because: 'read by the user in the session, or by the id a browser presents' },
    merge: { policy: 'none', because: 'of an identity' },
    erasure: { stay: 'of an identity' },
  }),
}
