import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { ProtectionDeed } from '../../data/backup-snapshot-protection.ts'
import { dayMs } from '../../lib/now.ts'

interface Words {
  /** In a menu. */
  label: string
  title: string
  explanation: string
  example: string
  /** Of the button. */
  action: string
  done: string
}

export const protectionWords: Record<ProtectionDeed, Words> = {
  hold: {
    label: 'Put on legal hold…',
    title: 'Put this snapshot on legal hold?',
    explanation: 'Nothing deletes the snapshot until someone releases the hold, whatever its age.',
    example: 'Such as a case number',
    action: 'Put on hold',
    done: 'The snapshot is on legal hold',
  },
  'release-hold': {
    label: 'Release legal hold…',
    title: 'Release the legal hold?',
    explanation: 'The snapshot is deleted when it expires. If that day has passed, it’s deleted soon.',
    example: 'Such as “Case closed”',
    action: 'Release',
    done: 'The legal hold was released',
  },
  lock: {
    label: 'Lock for some days…',
    title: 'Lock this snapshot?',
    explanation:
      'Nothing deletes the snapshot before that day. Nobody can remove or shorten the lock, administrators included; it can only be extended.',
    example: 'Such as “Before the migration”',
    action: 'Lock',
    done: 'The snapshot is locked',
  },
}

/** What can be done now, in the order of a menu. A lock is never removed, only extended. */
export const possibleDeeds = ({ legalHold }: Pick<BackupSnapshot, 'legalHold'>): ProtectionDeed[] => [
  legalHold ? 'release-hold' : 'hold',
  'lock',
]

/** Begun days count whole; 0 once it has passed. */
export const daysUntil = (instant: string | null, now: number): number =>
  instant === null ? 0 : Math.max(0, Math.ceil((Date.parse(instant) - now) / dayMs))
