import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, uuid } from '../fields.ts'
import { backupProblem } from './backup-attention.ts'
import { deviceAttention, deviceStatus } from './devices.ts'

/** Counting ends here: 1,000 stands for 1,000 or more. */
export const maxAttentionCount = 1000

const expiring = z.object({
  kind: z.enum(['api_key', 'enrollment_key', 'certificate']),
  /** Null for the certificate of the appliance. */
  id: z.uuid().nullable(),
  name: z.string(),
  orgName: z.string().nullable(),
  expiresAt: instant,
})
export type Expiring = z.infer<typeof expiring>

const namedOrganization = z.object({ id: z.uuid(), name: z.string() })
const namedDevice = z.object({ id: z.uuid(), name: z.string() })

export const readHome = endpoint({
  name: 'home.read',
  method: 'GET',
  path: '/home',
  summary: 'What needs attention, and how many devices are in which state; of one organization when it is named',
  access: userAccess('devices:read'),
  query: z.object({ orgId: uuid.optional() }),
  reply: z.object({
    /** Devices by status; those out of service are not in the total. */
    devices: z.object({ total: z.int(), byStatus: z.partialRecord(deviceStatus, z.int()) }),
    /** How many devices need attention for which reason, and which one where it is one; without those that no device has. */
    attention: z.array(z.object({ reason: deviceAttention, devices: z.int().min(1), only: namedDevice.nullable() })),
    /** The same of their backups; empty for people who may not see backups. */
    backups: z.array(z.object({ kind: backupProblem, devices: z.int().min(1), only: namedDevice.nullable() })),
    /** The device that waits for approval, while there is only one. */
    onlyWaiting: namedDevice.nullable(),
    /** The newest command that failed, while commands failed on one device only. */
    failedCommand: z.object({ id: z.uuid(), deviceId: z.uuid() }).nullable(),
    /** The device, while there is only one. */
    onlyDevice: namedDevice.extend({ status: deviceStatus }).nullable(),
    /** Organizations whose recovery sheet nobody has locked away, for people who may print it; which one, where it is one. */
    unprintedSheets: z.object({ organizations: z.int().min(1), only: namedOrganization.nullable() }).nullable(),
    /** When the disk with the backup store is full, if that is within two weeks; for administrators of the appliance. */
    diskFull: z.object({ at: instant, isFull: z.boolean() }).nullable(),
    /** What expires soon and stops working then, the soonest first. */
    expiring: z.array(expiring),
  }),
})
export type Home = z.infer<typeof readHome.reply>
