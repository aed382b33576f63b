import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, name255, pathId, small, uuid } from '../fields.ts'

export const storageProvider = z.enum(['local', 's3', 'sftp', 'rest', 'azure_blob', 'google_cloud', 'backblaze'])
export type StorageProviderName = z.infer<typeof storageProvider>

const providerCapabilities = z.object({
  objectLock: z.object({ supported: z.boolean(), checkedAt: instant, error: z.string().nullable() }),
})
export type ProviderCapabilities = z.infer<typeof providerCapabilities>

/** Where backups of an organization go. */
export const backupConfig = z.object({
  id: z.uuid(),
  name: z.string(),
  provider: storageProvider,
  enabled: z.boolean(),
  isDefault: z.boolean(),
  encryption: z.object({
    enabled: z.boolean(),
    status: z.enum(['disabled', 'enforced', 'unsupported']),
    /** `client`: the device encrypts before anything leaves it. */
    mode: z.enum(['disabled', 's3-sse-s3', 's3-sse-kms', 'client', 'unsupported']),
    keyReference: z.string().optional(),
    reason: z.string().optional(),
  }),
  /** As given, with a mark in place of each secret. */
  details: jsonObject,
  providerCapabilities: providerCapabilities.nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type BackupConfig = z.infer<typeof backupConfig>

const details = small(jsonObject)
const ofOrganization = z.object({ orgId: uuid.optional() })
const params = z.object({ id: pathId })
const read = userAccess('backup:read')
const write = userAccess('backup:write', { mfa: 'session' })

export const listBackupConfigs = endpoint({
  name: 'backup-configs.list',
  method: 'GET',
  path: '/backup/configs',
  summary: 'Where backups of an organization can go, by name',
  access: read,
  query: ofOrganization,
  reply: z.object({ data: z.array(backupConfig) }),
})

export const createBackupConfig = endpoint({
  name: 'backup-configs.create',
  method: 'POST',
  path: '/backup/configs',
  summary: 'Add storage for backups; its secrets are never returned',
  access: write,
  query: ofOrganization,
  body: z.object({
    name: name255,
    provider: storageProvider,
    enabled: z.boolean().default(true),
    encryption: z.boolean().default(false),
    isDefault: z.boolean().default(false),
    details,
  }),
  status: 201,
  reply: backupConfig,
  audit: 'backup.config.create',
})

export const readBackupConfig = endpoint({
  name: 'backup-configs.read',
  method: 'GET',
  path: '/backup/configs/:id',
  summary: 'One storage for backups',
  access: read,
  params,
  query: ofOrganization,
  reply: backupConfig,
})

export const updateBackupConfig = endpoint({
  name: 'backup-configs.update',
  method: 'PATCH',
  path: '/backup/configs/:id',
  summary:
    'Change storage; `details` are merged key by key, null takes a key away, a secret that is absent or still marked stays',
  access: write,
  params,
  query: ofOrganization,
  body: z.object({
    name: name255.optional(),
    /** Ignored: it never changes. */
    provider: z.string().max(100).optional(),
    enabled: z.boolean().optional(),
    encryption: z.boolean().optional(),
    isDefault: z.boolean().optional(),
    details: details.optional(),
  }),
  reply: backupConfig,
  audit: 'backup.config.update',
})

export const testBackupConfig = endpoint({
  name: 'backup-configs.test',
  method: 'POST',
  path: '/backup/configs/:id/test',
  summary: 'Test whether storage can be used; the answer is the same with status 400 when it cannot',
  access: write,
  params,
  query: ofOrganization,
  reply: z.object({
    id: z.uuid(),
    provider: storageProvider,
    /** `unsupported`: the appliance cannot find out. */
    status: z.enum(['success', 'failed', 'unsupported']),
    checkedAt: instant,
    error: z.string().nullable(),
    /** What this test has found. */
    providerCapabilities: providerCapabilities.nullable(),
    /** On the disk of the appliance's own store. */
    freeBytes: z.number().optional(),
    config: backupConfig,
  }),
  audit: 'backup.config.test',
})

export const deleteBackupConfig = endpoint({
  name: 'backup-configs.delete',
  method: 'DELETE',
  path: '/backup/configs/:id',
  summary: 'Remove storage that nothing depends on',
  access: write,
  params,
  query: ofOrganization,
  reply: z.object({ deleted: z.literal(true) }),
  audit: 'backup.config.delete',
})
