import type { BackupProblem, ProtectionState } from '../../../shared/api/backup-attention.ts'

interface ProblemLabel {
  /** What is the matter with `devices`, such as "3 devices". */
  sentence: (devices: string) => string
  note: string
  /** The filter of the list of devices that shows them; absent where none does. */
  state?: ProtectionState
}

export const problemLabels: Record<BackupProblem, ProblemLabel> = {
  unusual_change: {
    sentence: (devices) => `Unusual change in backups of ${devices}`,
    note: 'This may be ransomware',
  },
  verification_failed: {
    sentence: (devices) => `A check of the backups of ${devices} failed`,
    note: 'Files may not be restorable',
  },
  missed_twice: {
    sentence: (devices) => `${devices} missed two backups in a row`,
    note: 'Turned off or not connected when backups were due',
    state: 'overdue',
  },
  copy_failed: {
    sentence: (devices) => `The second copy of ${devices} failed`,
    note: 'See why under Second copies',
  },
  copy_late: {
    sentence: (devices) => `The second copy of ${devices} is late`,
    note: 'If it’s on a disk, connect the disk',
  },
  no_config: {
    sentence: (devices) => `No storage for backups of ${devices}`,
    note: 'The policy names none that is turned on',
    state: 'unprotected',
  },
  broken_profile: {
    sentence: (devices) => `Nothing is backed up of ${devices}`,
    note: 'The backup profile of the policy is empty',
    state: 'unprotected',
  },
  failed: { sentence: (devices) => `The backup of ${devices} failed`, note: 'See why', state: 'failing' },
  partial: { sentence: (devices) => `The backup of ${devices} is incomplete`, note: 'Some files weren’t read' },
  skipped_overlap: {
    sentence: (devices) => `A backup of ${devices} was left out`,
    note: 'The one before hadn’t ended',
  },
}
