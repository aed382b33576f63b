import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import type { Actor } from './actor.ts'
import { type Clock, isoNow } from './clock.ts'
import { sha256 } from './secrets.ts'

export interface AuditEvent {
  action: string
  resourceType: string
  resourceId?: string | null
  resourceName?: string | null
  orgId?: string | null
  partnerId?: string | null
  details?: Record<string, unknown>
  result?: 'success' | 'failure' | 'denied'
}

export type Audit = (actor: Actor, event: AuditEvent) => void

/** Told of an event that could not be written; `write` tries again. */
export type OnUnwritten = (error: unknown, action: string, write: () => void) => void

const refuse: OnUnwritten = (error) => {
  throw error
}

const nobody = '00000000-0000-0000-0000-000000000000'
const secretKey =
  /(password|token|secret|cookie|authorization|recoverycodes?|enrollmentkey|apikey|setupcode)(_?hash)?$|^(key|code)$/i

/** Values under a telling key never enter the log, however deep they stand. */
export function scrub(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrub)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, secretKey.test(key) ? '[redacted]' : scrub(inner)]),
  )
}

/**
 * Writes one event into the transaction under way, so that a change and its event are saved together or not at all.
 * Each tenant's events form a chain of SHA-256 checksums.
 */
export function createAudit(db: Database, clock: Clock, onUnwritten = refuse): Audit {
  const lastChecksum = db.statement(
    'SELECT checksum FROM audit_logs WHERE partner_id IS ? AND org_id IS ? ORDER BY seq DESC LIMIT 1',
  )
  return (actor, event) => {
    const row = {
      id: randomUUIDv7(),
      org_id: event.orgId ?? null,
      partner_id: event.partnerId ?? ('partnerId' in actor ? actor.partnerId : null),
      timestamp: isoNow(clock),
      ...describeActor(actor),
      action: event.action,
      resource_type: event.resourceType,
      resource_id: event.resourceId ?? null,
      resource_name: event.resourceName ?? null,
      details: JSON.stringify(scrub(event.details ?? {})),
      ip_address: actor.origin?.ip ?? null,
      user_agent: actor.origin?.userAgent?.slice(0, 500) ?? null,
      result: event.result ?? 'success',
      error_message: null,
    }
    const write = () => {
      const previous = lastChecksum.get(row.partner_id, row.org_id) as { checksum: string } | undefined
      const prev_checksum = previous?.checksum ?? null
      const checksum = sha256(`${prev_checksum ?? ''}\n${JSON.stringify(Object.entries(row).sort())}`)
      db.run(q.insertInto('audit_logs').values({ ...row, prev_checksum, checksum }))
    }
    const isPartOfChange = db.isInTransaction
    try {
      db.transaction(write)
    } catch (error) {
      // A full disk, for one, takes the whole transaction along.
      if (isPartOfChange && !db.isInTransaction) throw error
      onUnwritten(error, event.action, () => db.transaction(write))
    }
  }
}

function describeActor(actor: Actor) {
  switch (actor.kind) {
    case 'user':
    case 'person':
      return { actor_type: 'user', actor_id: actor.userId, actor_email: actor.email, initiated_by: 'manual' } as const
    case 'device':
      return { actor_type: 'agent', actor_id: actor.deviceId, actor_email: null, initiated_by: 'agent' } as const
    case 'system':
      return { actor_type: 'system', actor_id: nobody, actor_email: null, initiated_by: 'automation' } as const
  }
}
