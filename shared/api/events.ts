import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, uuid } from '../fields.ts'
import { backupJob } from './backup-jobs.ts'
import { restoreJob } from './backup-restores.ts'
import { slaEventDetails, slaEventType } from './backup-sla.ts'
import { verification } from './backup-verification.ts'
import { deviceCommand } from './commands.ts'
import { deviceStatus, metricPoint } from './devices.ts'

/** Why a stream ends: with its session, or because what its session may do has `changed`. */
export const goodbyeReason = z.enum([
  'signed-out',
  'signed-out-everywhere',
  'password-changed',
  'email-changed',
  'session-ended',
  'changed',
])
export type GoodbyeReason = z.infer<typeof goodbyeReason>

/** What the server tells browsers as it happens, one JSON object per `data:` line of the stream. */
export const liveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), at: instant }),
  z.object({ type: z.literal('goodbye'), reason: goodbyeReason }),
  z.object({
    type: z.literal('device.enrolled'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    hostname: z.string(),
    enrollmentKeyId: z.uuid().nullable(),
  }),
  z.object({
    type: z.literal('device.status'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    status: deviceStatus,
    lastSeenAt: instant.nullable(),
  }),
  /** Something else about the record changed: read it again. */
  z.object({ type: z.literal('device.changed'), deviceId: z.uuid(), orgId: z.uuid(), siteId: z.uuid() }),
  z.object({ type: z.literal('device.removed'), deviceId: z.uuid(), orgId: z.uuid(), siteId: z.uuid() }),
  /** A merge has begun, or changed what is in it. */
  z.object({ type: z.literal('organization.changed'), orgId: z.uuid() }),
  /** There are new events in the audit log that the listener may read; told once for many. */
  z.object({ type: z.literal('audit.written') }),
  /** A backup has begun, is under way or has ended; for those who may see backups. */
  z.object({
    type: z.literal('backup.job'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    job: backupJob,
  }),
  z.object({
    type: z.literal('backup.restore'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    restore: restoreJob,
  }),
  /** A device could hardly be brought back from its backups any more. */
  z.object({
    type: z.literal('backup.recovery_readiness_low'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    readinessScore: z.int(),
  }),
  /** Somewhere a promise about backups is no longer kept, or kept again; for those who may see backups. */
  z.object({ type: z.literal('backup.sla'), orgId: z.uuid() }),
  /** A device does not keep to an SLA any more of which people want to be told. */
  z.object({
    type: z.literal('backup.sla_breach'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    slaConfigId: z.uuid(),
    eventType: slaEventType,
    details: slaEventDetails,
  }),
  /** A check of a backup has begun, or changed. */
  z.object({
    type: z.literal('backup.verification'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    verification,
  }),
  z.object({
    type: z.literal('backup.verification_passed'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    verification,
  }),
  /** Also of one that is partial. */
  z.object({
    type: z.literal('backup.verification_failed'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    verification,
  }),
  /** The following are sent only to a stream opened for that device. */
  z.object({
    type: z.literal('device.metrics'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    lastSeenAt: instant,
    point: metricPoint.nullable(),
  }),
  z.object({
    type: z.literal('device.inventory'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    part: z.enum(['hardware', 'software', 'disks', 'network', 'connections']),
  }),
  z.object({
    type: z.literal('command.changed'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    command: deviceCommand,
  }),
  z.object({
    type: z.literal('command.output'),
    deviceId: z.uuid(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    commandId: z.uuid(),
    sequence: z.int(),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
  }),
])
export type LiveEvent = z.infer<typeof liveEvent>

export const events = endpoint({
  name: 'events.stream',
  method: 'GET',
  path: '/events',
  summary:
    'Live changes as server-sent events; with `deviceId`, also the metrics, inventory and commands of that device',
  access: userAccess('devices:read'),
  query: z.object({ deviceId: uuid.optional() }),
  reply: z.string(),
  content: 'text/event-stream',
})
