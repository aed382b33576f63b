import { randomUUIDv7 } from 'node:crypto'
import type { AuditAction } from '../../shared/audit-actions/index.ts'
import type { Database } from '../db/database.ts'
import { toJson } from '../lib/json.ts'
import type { Actor, EventOwner } from './actor.ts'
import { AuditChains } from './audit-chain.ts'
import { type Clock, isoNow } from './clock.ts'
import type { Secrets } from './secrets.ts'

export interface AuditEvent {
  action: AuditAction
  resourceType: string
  resourceId?: string | null
  resourceName?: string | null
  orgId?: string | null
  partnerId?: string | null
  details?: Record<string, unknown>
  result?: 'success' | 'failure' | 'denied'
  /** When it happened, if not now. */
  timestamp?: string
}

export type Audit = (actor: Actor, event: AuditEvent) => void

/** Called with an event that could not be written; `write` tries again. */
export type OnUnwritten = (error: unknown, action: string, write: () => void) => void

const refuse: OnUnwritten = (error) => {
  throw error
}

const nobody = '00000000-0000-0000-0000-000000000000'
const secretKey =
  /(password|token|secret|cookie|authorization|recoverycodes?|enrollmentkey|apikey|setupcode)(_?hash)?$|^(key|code)$/i

/** Replaces the values of keys that look like secrets, at any depth. */
export function scrub(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrub)
  if (typeof value !== 'object' || value === null) return value
  return scrubDetails(value)
}

const scrubDetails = (details: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(details).map(([key, inner]) => [key, secretKey.test(key) ? '[redacted]' : scrub(inner)]),
  )

/**
 * Writes one event into the transaction under way, so that a change and its event are saved together or not at all.
 * An event of an organization is one of its partner's too.
 */
export function createAudit(
  db: Database,
  clock: Clock,
  secrets: Pick<Secrets, 'sealLog'>,
  onUnwritten = refuse,
  onWritten: (owner: EventOwner) => void = () => {},
): Audit {
  const chains = new AuditChains(db, secrets)
  chains.sealFirst()
  const partnerOf = db.statement<string>('SELECT partner_id FROM organizations WHERE id = ?').pluck()
  return (actor, event) => {
    const org_id = event.orgId ?? null
    const owner = org_id === null ? undefined : partnerOf.get(org_id)
    const row = {
      id: randomUUIDv7(),
      org_id,
      partner_id: owner ?? event.partnerId ?? ('partnerId' in actor ? actor.partnerId : null),
      timestamp: event.timestamp ?? isoNow(clock),
      ...describeActor(actor),
      action: event.action,
      resource_type: event.resourceType,
      resource_id: event.resourceId ?? null,
      resource_name: event.resourceName ?? null,
      details: toJson(scrubDetails(event.details ?? {})),
      ip_address: actor.origin?.ip ?? null,
      user_agent: actor.origin?.userAgent?.slice(0, 500) ?? null,
      result: event.result ?? 'success',
      error_message: null,
    }
    const write = () => {
      chains.append(row)
      db.afterCommit(() => onWritten(row))
    }
    const isPartOfChange = db.isInTransaction
    try {
      db.transaction(write)
    } catch (error) {
      // SQLite itself rolls back on some errors, such as a full disk.
      if (isPartOfChange && !db.isInTransaction) throw error
      onUnwritten(error, event.action, () => db.transaction(write))
    }
  }
}

function describeActor(actor: Actor) {
  const key = actor.kind === 'user' ? actor.apiKey : undefined
  if (key) return { actor_type: 'api_key', actor_id: key.id, actor_email: null, initiated_by: 'integration' } as const
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
