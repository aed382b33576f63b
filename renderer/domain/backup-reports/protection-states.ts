import type { ProtectionState } from '../../../shared/api/backup-attention.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const protectionNames: Record<ProtectionState, string> = {
  protected: 'Protected',
  overdue: 'Overdue',
  failing: 'Failing',
  never: 'Never backed up',
  no_engine: 'No backup engine',
  unprotected: 'Not protected',
}

export const protectionTones: Record<ProtectionState, Tone> = {
  protected: 'good',
  overdue: 'warn',
  failing: 'bad',
  never: 'idle',
  no_engine: 'warn',
  unprotected: 'bad',
}

/** How a device is shown that has no backup yet, while its first one waits or runs. */
export const firstBackup = { name: 'First backup under way', note: 'It can be restored from once this has ended.' }

/** What it means for a device, and what to do. */
export const protectionNotes: Record<ProtectionState, string> = {
  protected: 'Its backups are made as its policy says.',
  overdue: 'It missed its last two backups. Check that it’s turned on and connected when backups are due.',
  failing: 'Its last backup failed.',
  never: 'Its policy is in force, and no backup was made yet.',
  no_engine: 'It has no restic yet. Install restic there, or let the appliance deliver it.',
  unprotected: 'No policy backs it up, or the policy has no storage or nothing to back up.',
}
