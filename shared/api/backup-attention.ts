import { z } from 'zod'

/** Why somebody should look at the backups of a device; the worst first. */
export const backupProblem = z.enum([
  'unusual_change',
  'verification_failed',
  'no_config',
  'broken_profile',
  'missed_twice',
  'copy_failed',
  'copy_late',
  'failed',
  'partial',
  'skipped_overlap',
])
export type BackupProblem = z.infer<typeof backupProblem>

/** How a device stands with its backups; each device is in one state. */
export const protectionState = z.enum(['protected', 'overdue', 'failing', 'never', 'no_engine', 'unprotected'])
export type ProtectionState = z.infer<typeof protectionState>
