import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import {
  type Advice,
  adviceOn,
  engineProblem,
  type KnownProblem,
  storageProblems,
} from '../backup-storage/storage-advice.ts'

/** What agent, appliance and restic say, and what it means. The first that fits counts. */
const known: KnownProblem[] = [
  engineProblem('Then restore again.'),
  {
    fits: /not enough free space|no space left|ENOSPC|disk is full/i,
    advice: {
      what: 'There is not enough room on the device.',
      todo: 'Free space there, or restore fewer files, to another disk or to another device.',
    },
  },
  {
    fits: /key rejected|wrong password or no key/i,
    advice: {
      what: 'The repository doesn’t accept its key.',
      todo: 'Somebody may have replaced the repository. Check the storage of this snapshot.',
    },
  },
  {
    fits: /repository is not there/i,
    advice: {
      what: 'The repository wasn’t found in the storage.',
      todo: 'Check that the storage is connected and its folder or bucket wasn’t emptied. Then restore again.',
    },
  },
  {
    fits: /storage of this snapshot is turned off or gone/i,
    advice: { what: 'The storage was off, or deleted.', todo: 'Turn the storage on. Then restore again.' },
  },
  {
    fits: /snapshot is not in the repository/i,
    advice: {
      what: 'The snapshot is no longer in the storage.',
      todo: 'Restore from another snapshot of the device.',
    },
  },
  {
    fits: /nothing was restored/i,
    advice: {
      what: 'None of the files could be restored.',
      todo: 'Try another snapshot of the device: the data of this one may be damaged.',
    },
  },
  {
    fits: /never received/i,
    advice: {
      what: 'The device didn’t fetch the restore within half an hour.',
      todo: 'Check that the device is online and its agent runs. Then restore again.',
    },
  },
  {
    fits: /no response from agent/i,
    advice: {
      what: 'Nothing was heard from the device for half an hour.',
      todo: 'Check the device’s connection. If it finishes after all, this page says so; else restore again.',
    },
  },
  ...storageProblems('Then restore again.'),
]

/** What happened and what to do; null where nothing is wrong. */
export function restoreAdvice({ status, resultDetails }: Pick<RestoreJob, 'status' | 'resultDetails'>): Advice | null {
  if (status === 'failed')
    return (
      adviceOn(resultDetails?.error ?? '', known) ?? {
        what: 'The restore failed.',
        todo: 'What the device said is below. Restore again, and try another snapshot if that fails, too.',
      }
    )
  if (status === 'partial')
    return {
      what: 'Some of the files weren’t restored.',
      todo: 'The others are in place. Restore the missing ones from another snapshot, or close programs that use them and restore again.',
    }
  return null
}
