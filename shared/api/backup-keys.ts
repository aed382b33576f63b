import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, lineOfText, pathId, uuid } from '../fields.ts'
import { pageLimit, pageNumber, pagination } from '../paging.ts'

/** The keys that open backups. Of their material nothing is returned but on the recovery sheet. */

const keyType = z.enum(['aes_256', 'rsa_2048'])

export const encryptionKey = z.object({
  id: z.uuid(),
  name: z.string(),
  keyType,
  /** SHA-256 in hex; of a key that somebody supplied what they said it is. */
  keyHash: z.string(),
  isActive: z.boolean(),
  hasDecryptMaterial: z.boolean(),
  /** The appliance made it, and opens repositories with it. */
  managedRestoreSupported: z.boolean(),
  /** Repositories that it opens, counting those in which another key takes its place. */
  repositories: z.int(),
  /** When somebody said that the recovery sheet with this key is locked away. */
  lockedAwayAt: instant.nullable(),
  createdAt: instant,
  rotatedAt: instant.nullable(),
  expiresAt: instant.nullable(),
})
export type EncryptionKey = z.infer<typeof encryptionKey>

const params = z.object({ id: pathId })
const ofOrganization = z.object({ orgId: uuid.optional() })
const read = userAccess('organizations:read', { or: 'backup:read' })
const write = userAccess('organizations:write', { mfa: 'session' })
const material = z.string().min(16).max(65_536)
const hash = lineOfText(128).min(16)
const publicKey = z.string().max(16_384)
const deactivated = z.object({ deactivated: z.literal(true) })

export const listEncryptionKeys = endpoint({
  name: 'backup-keys.list',
  method: 'GET',
  path: '/backup/encryption/keys',
  summary: 'The active keys of an organization, the newest first',
  access: read,
  query: ofOrganization.extend({ includeInactive: z.stringbool().default(false) }),
  reply: z.object({ data: z.array(encryptionKey) }),
})

export const createEncryptionKey = endpoint({
  name: 'backup-keys.create',
  method: 'POST',
  path: '/backup/encryption/keys',
  summary: 'Add a key; without material the appliance makes it, and new repositories get the newest of those',
  access: write,
  query: ofOrganization,
  body: z.object({
    name: lineOfText(200),
    keyType: keyType.default('aes_256'),
    encryptedPrivateKey: material.optional(),
    keyHash: hash.optional(),
    publicKeyPem: publicKey.optional(),
  }),
  status: 201,
  reply: encryptionKey,
  audit: 'backup.encryption_key.create',
})

export const readEncryptionKey = endpoint({
  name: 'backup-keys.read',
  method: 'GET',
  path: '/backup/encryption/keys/:id',
  summary: 'One key, active or not',
  access: read,
  params,
  query: ofOrganization,
  reply: encryptionKey,
})

export const rotateEncryptionKey = endpoint({
  name: 'backup-keys.rotate',
  method: 'POST',
  path: '/backup/encryption/keys/:id/rotate',
  summary: 'Put a new key in the place of one; repositories change to it in the background, while backups go on',
  access: write,
  params,
  query: ofOrganization,
  body: z
    .object({
      newKeyHash: hash.optional(),
      newEncryptedPrivateKey: material.optional(),
      newPublicKeyPem: publicKey.optional(),
    })
    .prefault({}),
  reply: z.object({ previousKeyId: z.uuid(), newKey: encryptionKey }),
  audit: 'backup.encryption_key.rotate',
})

export const updateEncryptionKey = endpoint({
  name: 'backup-keys.update',
  method: 'PATCH',
  path: '/backup/encryption/keys/:id',
  summary: 'Deactivate a key that nothing needs',
  access: write,
  params,
  query: ofOrganization,
  body: z.object({ status: z.literal('deactivated') }),
  reply: deactivated,
  audit: 'backup.encryption_key.deactivate',
})

export const deactivateEncryptionKey = endpoint({
  name: 'backup-keys.deactivate',
  method: 'DELETE',
  path: '/backup/encryption/keys/:id',
  summary: 'Deactivate a key that nothing needs',
  access: write,
  params,
  query: ofOrganization,
  reply: deactivated,
  audit: 'backup.encryption_key.deactivate',
})

const changingRepository = z.object({
  id: z.uuid(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  configId: z.uuid(),
  configName: z.string(),
  /** `waiting`: it still has the old key. `removing`: it has the new one, and the old one opens it as well. */
  step: z.enum(['waiting', 'removing']),
  /** When that was last tried, and why it failed. */
  triedAt: instant.nullable(),
  error: z.string().nullable(),
})
export type ChangingRepository = z.infer<typeof changingRepository>

export const readKeyRotation = endpoint({
  name: 'backup-keys.rotation',
  method: 'GET',
  path: '/backup/encryption/rotation',
  summary: 'Repositories whose key is being changed, those with a problem first',
  access: read,
  query: ofOrganization.extend({ page: pageNumber, limit: pageLimit(50, 200) }),
  reply: z.object({
    data: z.object({
      /** All repositories of the organization. */
      total: z.int(),
      /** Those that are not done. */
      changing: z.int(),
      repositories: z.array(changingRepository),
    }),
    pagination,
  }),
})

const recoverySheet = z.object({
  organization: z.string(),
  madeAt: instant,
  /** All that open a repository at the moment or will. Secret. */
  keys: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      createdAt: instant,
      /** In hex. */
      key: z.string(),
      /** The first digits of its SHA-256, to find a slip of the pen. */
      check: z.string(),
      /** The same as `key`, as a PNG in a data URL. */
      qr: z.string(),
    }),
  ),
  /** Of repositories that do not have the key of the organization yet. Secret. */
  passwords: z.array(z.object({ deviceName: z.string(), folder: z.string(), password: z.string() })),
  storages: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      provider: z.string(),
      /** What restic calls the place of a repository in it, with FOLDER for the name of its folder; without credentials. */
      place: z.string(),
    }),
  ),
  /** Each has a copy of repositories, in folders of the same names. */
  secondCopies: z.array(z.object({ id: z.uuid(), name: z.string(), place: z.string() })),
  /** At most 500 of them, by device. */
  repositories: z.array(z.object({ deviceName: z.string(), configId: z.uuid(), folder: z.string() })),
  repositoryCount: z.int(),
})
export type RecoverySheet = z.infer<typeof recoverySheet>

export const openRecoverySheet = endpoint({
  name: 'backup-keys.recovery-sheet',
  method: 'POST',
  path: '/backup/encryption/recovery-sheet',
  summary: 'The keys themselves, to be printed and locked away: they open all backups of the organization',
  access: userAccess('organizations:write', { mfa: 'strict' }),
  query: ofOrganization,
  reply: z.object({ data: recoverySheet }),
  audit: 'backup.recovery_sheet.create',
})

export const confirmRecoverySheet = endpoint({
  name: 'backup-keys.confirm-recovery-sheet',
  method: 'POST',
  path: '/backup/encryption/recovery-sheet/confirm',
  summary: 'Say that the printed sheet with these keys is locked away',
  access: write,
  query: ofOrganization,
  body: z.object({ keyIds: z.array(uuid).min(1).max(100) }),
  reply: z.object({ data: z.array(encryptionKey) }),
  audit: 'backup.recovery_sheet.confirm',
})
