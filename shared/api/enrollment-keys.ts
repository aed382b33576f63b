import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, name255, pathId, uuid } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'

export const enrollmentKey = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  siteId: z.uuid().nullable(),
  name: z.string(),
  usageCount: z.int(),
  maxUsage: z.int().nullable(),
  expiresAt: instant.nullable(),
  createdBy: z.uuid().nullable(),
  createdAt: instant,
  updatedAt: instant,
  shortCode: z.string().nullable(),
  installerPlatform: z.string().nullable(),
})
export type EnrollmentKey = z.infer<typeof enrollmentKey>
/** The raw key, 64 hex digits, is in these answers and nowhere else. */
const withKey = enrollmentKey.extend({ key: z.string() })

/** What a new key gets unless told. */
export const enrollmentDefaults = { ttlMinutes: 30 * 24 * 60, deviceCount: 1, maxTtlMinutes: 525_600 }

const uses = z.int().min(1).max(100_000)
const expiry = z.iso.datetime({ offset: true })
const keyParams = z.object({ id: pathId })
const read = userAccess('organizations:read')
const write = userAccess('organizations:write', { mfa: 'session' })

export const listEnrollmentKeys = endpoint({
  name: 'enrollment-keys.list',
  method: 'GET',
  path: '/enrollment-keys',
  summary: 'Enrollment keys, newest first',
  access: read,
  query: z.object({ ...pageQuery, orgId: uuid.optional(), expired: z.enum(['true', 'false']).optional() }),
  reply: paged(enrollmentKey.extend({ installerTokens: z.null() })),
})

export const createEnrollmentKey = endpoint({
  name: 'enrollment-keys.create',
  method: 'POST',
  path: '/enrollment-keys',
  summary: 'Create an enrollment key; the raw key is shown once',
  access: write,
  body: z.strictObject({
    name: name255,
    orgId: uuid.optional(),
    siteId: uuid.nullable().optional(),
    maxUsage: uses.optional(),
    expiresAt: expiry.optional(),
    ttlMinutes: z.int().min(1).max(enrollmentDefaults.maxTtlMinutes).optional(),
  }),
  status: 201,
  reply: withKey,
  audit: 'enrollment_key.create',
})

export const readEnrollmentKey = endpoint({
  name: 'enrollment-keys.read',
  method: 'GET',
  path: '/enrollment-keys/:id',
  summary: 'One enrollment key, without its secret',
  access: read,
  params: keyParams,
  reply: enrollmentKey,
})

export const rotateEnrollmentKey = endpoint({
  name: 'enrollment-keys.rotate',
  method: 'POST',
  path: '/enrollment-keys/:id/rotate',
  summary: 'Replace the raw key and start counting uses anew',
  access: write,
  params: keyParams,
  body: z.strictObject({ maxUsage: uses.nullable().optional(), expiresAt: expiry.optional() }).optional(),
  reply: withKey,
  audit: 'enrollment_key.rotate',
})

export const deleteEnrollmentKey = endpoint({
  name: 'enrollment-keys.delete',
  method: 'DELETE',
  path: '/enrollment-keys/:id',
  summary: 'Delete an enrollment key',
  access: write,
  params: keyParams,
  reply: z.object({ success: z.literal(true), message: z.string() }),
  audit: 'enrollment_key.delete',
})

export const purgeExpiredEnrollmentKeys = endpoint({
  name: 'enrollment-keys.purge-expired',
  method: 'POST',
  path: '/enrollment-keys/purge-expired',
  summary: 'Delete every expired key in reach',
  access: write,
  reply: z.object({ success: z.literal(true), deletedCount: z.int() }),
  audit: 'enrollment_key.purge_expired',
})

/** No signed installers exist on the appliance: the console shows the commands instead. */
export const downloadInstaller = endpoint({
  name: 'enrollment-keys.installer',
  method: 'GET',
  path: '/enrollment-keys/:id/installer/:platform',
  summary: 'Signed installers are not offered: answers 501',
  access: read,
  params: z.object({ id: pathId, platform: z.enum(['windows', 'macos']) }),
  reply: z.null(),
})
