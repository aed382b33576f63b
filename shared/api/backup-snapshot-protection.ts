import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { pathId, textOfLines, uuid } from '../fields.ts'
import { backupSnapshot, immutabilityEnforcement } from './backup-snapshots.ts'

/** What keeps a snapshot from being removed, set by hand. */

const write = userAccess('backup:write', { mfa: 'session' })
const params = z.object({ id: pathId })
const query = z.object({ orgId: uuid.optional() })
const reason = textOfLines(500).min(1)
const because = z.object({ reason })

/** In days; ten years. */
export const longestImmutability = 3650

/** The `immutabilityFallbackReason` for the minute until the storage is asked. */
export const storageNotAskedYet = 'The storage has not been asked yet'

export const applyLegalHold = endpoint({
  name: 'backup-snapshots.apply-legal-hold',
  method: 'POST',
  path: '/backup/snapshots/:id/legal-hold',
  summary: 'Keep a snapshot until somebody releases it, whatever its age',
  access: write,
  params,
  query,
  body: because,
  reply: backupSnapshot,
  audit: 'backup.snapshot.legal_hold.apply',
})

export const releaseLegalHold = endpoint({
  name: 'backup-snapshots.release-legal-hold',
  method: 'POST',
  path: '/backup/snapshots/:id/legal-hold/release',
  summary: 'End the legal hold of a snapshot',
  access: write,
  params,
  query,
  body: because,
  reply: backupSnapshot,
  audit: 'backup.snapshot.legal_hold.release',
})

export const deleteLegalHold = endpoint({
  name: 'backup-snapshots.delete-legal-hold',
  method: 'DELETE',
  path: '/backup/snapshots/:id/legal-hold',
  summary: 'End the legal hold of a snapshot without saying why',
  access: write,
  params,
  query,
  reply: backupSnapshot,
  audit: 'backup.snapshot.legal_hold.release',
})

export const applyImmutability = endpoint({
  name: 'backup-snapshots.apply-immutability',
  method: 'POST',
  path: '/backup/snapshots/:id/immutability',
  summary: 'Keep a snapshot for some days, or until a time; afterwards only longer',
  access: write,
  params,
  query,
  body: because
    .extend({
      immutableDays: z.int().min(1).max(longestImmutability).optional(),
      extendUntil: z.iso.datetime({ offset: true }).optional(),
      /** `provider`: by the storage itself, where it can do that. */
      enforcement: immutabilityEnforcement.default('application'),
    })
    .refine(({ immutableDays, extendUntil }) => immutableDays !== undefined || extendUntil !== undefined, {
      error: 'immutableDays or extendUntil is required',
    }),
  reply: backupSnapshot,
  audit: 'backup.snapshot.immutability.apply',
})

export const releaseImmutability = endpoint({
  name: 'backup-snapshots.release-immutability',
  method: 'POST',
  path: '/backup/snapshots/:id/immutability/release',
  summary: 'Take the mark of an immutability that is over; before that nobody ends it, and the try is recorded',
  access: write,
  params,
  query,
  body: because,
  reply: backupSnapshot,
  audit: 'backup.snapshot.immutability.release',
})
