import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import {
  type Advice,
  adviceOn,
  engineProblem,
  type KnownProblem,
  storageProblems,
} from '../backup-storage/storage-advice.ts'

/** What agent, appliance and restic say, and what it means. The first that fits counts. */
const known: KnownProblem[] = [
  engineProblem('Then back up again.'),
  {
    fits: /key rejected|wrong password or no key/i,
    advice: {
      what: 'The repository doesn’t accept its key.',
      todo: 'Somebody may have replaced the repository. Check the storage, and back up to another one until that is clear.',
    },
  },
  {
    fits: /repository is not there/i,
    advice: {
      what: 'The repository of this device wasn’t found in the storage.',
      todo: 'Check that the storage is connected and its folder or bucket wasn’t emptied. A new repository isn’t made over a lost one.',
    },
  },
  {
    fits: /cut off while it made the repository/i,
    advice: {
      what: 'An earlier backup was cut off while it made the repository.',
      todo: 'Back up again. The next backup makes a new repository beside it.',
    },
  },
  {
    fits: /none of the folders/i,
    advice: {
      what: 'None of the folders to back up exists on this device.',
      todo: 'Change what the policy protects, or give this device a policy of its own.',
    },
  },
  {
    fits: /storage of this backup is turned off or gone/i,
    advice: {
      what: 'The storage was off, or deleted.',
      todo: 'Turn the storage on, or choose another one in the policy. Then back up again.',
    },
  },
  {
    fits: /went offline/i,
    advice: {
      what: 'The device went offline while it was backed up.',
      todo: 'Back up again when it’s online. What was sent already isn’t sent again.',
    },
  },
  {
    fits: /dispatch never completed/i,
    advice: {
      what: 'The device didn’t fetch the backup within an hour.',
      todo: 'Check that the device is online and its agent runs. Then back up again.',
    },
  },
  {
    fits: /stalled|timed out \(no completion/i,
    advice: {
      what: 'The backup made no progress any more.',
      todo: 'Check the device’s connection and the storage. Then back up again; what was sent already isn’t sent again.',
    },
  },
  {
    fits: /locked by another/i,
    advice: {
      what: 'Something else was using the repository.',
      todo: 'Back up again later.',
    },
  },
  {
    fits: /already running/i,
    advice: { what: 'Another backup of this device was running.', todo: 'Wait for that one to end.' },
  },
  {
    fits: /no backup targets resolved/i,
    advice: {
      what: 'Nothing of what the policy protects was found on the device.',
      todo: 'Databases and virtual machines can’t be backed up yet. Choose files or the whole system in the policy.',
    },
  },
  {
    fits: /storage quota of the organization/i,
    advice: {
      what: 'The organization’s storage quota is used up.',
      todo: 'Raise the quota on the Storage page, or keep snapshots for a shorter time.',
    },
  },
  {
    fits: /backup store cannot be written/i,
    advice: {
      what: 'The appliance can’t write to the disk its backups are on.',
      todo: 'Check that the disk is connected and not read-only. Then back up again.',
    },
  },
  {
    fits: /no space left|disk is full|\b507\b|ENOSPC|quota/i,
    advice: {
      what: 'The storage is full.',
      todo: 'Free space there, enlarge it, or keep snapshots for a shorter time.',
    },
  },
  ...storageProblems('Then back up again.'),
  {
    fits: /stopped|interrupted/i,
    advice: { what: 'The backup was stopped on the device.', todo: 'Back up again.' },
  },
]

/** What happened and what to do; null where nothing is wrong. */
export function adviceFor({
  status,
  errorLog,
  errorCount,
}: Pick<BackupJob, 'status' | 'errorLog' | 'errorCount'>): Advice | null {
  if (status === 'failed')
    return (
      adviceOn(errorLog ?? '', known) ?? {
        what: 'The backup failed.',
        todo: 'What the device said is below. Back up again, and check device and storage if that fails, too.',
      }
    )
  if (status === 'partial')
    return {
      what: 'There is a snapshot, and a part of what was wanted is missing in it.',
      todo: 'Look at the files that weren’t read. Close programs that use them, or leave them out in the policy.',
    }
  if (status === 'completed' && errorCount)
    return {
      what: 'The snapshot is complete but for a few files that weren’t read.',
      todo: 'If they matter, close the programs that use them before the next backup.',
    }
  return null
}
