import type { VerificationOutcome } from '../../../shared/device/backup-verification.ts'
import type { Entries } from '../../../shared/node/restic-entries.ts'
import type { Counts } from '../snapshot-index/index.ts'

type Shown = Pick<Counts, 'files' | 'folders'>

const amountOf = ({ files, folders }: Shown): number => files + folders

/** Whether what people are shown can be the list of the snapshot: of names that look alike it has one. */
export const isListOf = ({ all, unclear }: Entries, shown: Shown): boolean =>
  amountOf(shown) <= all && amountOf(shown) >= all - unclear

/** Somebody who looks for a file may not find it, or find one that cannot be restored. */
export const otherList = ({ all }: Entries, shown: Shown): Pick<VerificationOutcome, 'status' | 'reason'> => ({
  status: 'failed',
  reason: `The snapshot has ${all} files and folders in the storage, and ${amountOf(shown)} in the list that is shown. The list is read anew from the storage`,
})
