import type { Selectable } from 'kysely'
import type { Passkey } from '../../../../shared/api/passkeys.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { fromJson, type JsonText, toJson } from '../../../lib/json.ts'
import type { UserPasskeyTable } from '../tables.ts'

export type Credential = Selectable<UserPasskeyTable>

/** The transports that WebAuthn defines; others that a browser may report are dropped. */
const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

export const findCredential = (db: Database, credentialId: string): Credential | undefined =>
  db.first(
    q
      .selectFrom('user_passkeys')
      .selectAll()
      .where('credential_id', '=', credentialId)
      .where('disabled_at', 'is', null),
  )

export const findPasskey = (db: Database, userId: string, id: string): Credential | undefined =>
  db.first(
    q
      .selectFrom('user_passkeys')
      .selectAll()
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('disabled_at', 'is', null),
  )

/** At most 100, oldest first; with `rpId` only those of that relying party. */
export function passkeysOf(db: Database, userId: string, rpId?: string): Credential[] {
  let query = q.selectFrom('user_passkeys').selectAll().where('user_id', '=', userId).where('disabled_at', 'is', null)
  if (rpId !== undefined) query = query.where('rp_id', '=', rpId)
  return db.all(query.orderBy('created_at').orderBy('id').limit(100))
}

/** A credential as the options of a ceremony list it. */
export const descriptorOf = ({ credential_id, transports }: Credential) => ({
  id: credential_id,
  transports: fromJson(transports),
})

/** The transports a browser reported, as they are stored. */
export const storedTransports = (reported: unknown): JsonText<string[]> =>
  toJson(Array.isArray(reported) ? knownTransports.filter((transport) => reported.includes(transport)) : [])

export const passkeyView = (credential: Credential): Passkey => ({
  id: credential.id,
  name: credential.name,
  deviceType: credential.device_type,
  backedUp: credential.backed_up === 1,
  transports: fromJson(credential.transports),
  rpId: credential.rp_id,
  lastUsedAt: credential.last_used_at,
  createdAt: credential.created_at,
})

/** The WebAuthn user handle: stored by the authenticator, so it is the id and not the address of the user. */
export const userHandleOf = (userId: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(userId)
