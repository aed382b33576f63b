import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { snapshotQuery } from '../../data/backup-snapshots.ts'
import { RestoreDialog } from '../../domain/backup-restores/restore-dialog.tsx'
import { notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useMe } from '../../lib/session.ts'

interface Wanted {
  snapshotId: string
  /** Empty: everything. */
  paths: readonly string[]
}

export interface RestoreFrom {
  /** Undefined for people who may not restore. */
  restore: ((wanted: Wanted) => void) | undefined
  /** The dialog; null while nothing is to be restored. */
  dialog: ReactNode
}

/** Restores from a snapshot of which only the id is known. */
export function useRestoreFrom(): RestoreFrom {
  const mayRestore = can(useMe(), 'devices:execute')
  const [asked, setAsked] = useState<{ snapshot: BackupSnapshot; paths: readonly string[] } | null>(null)
  const read = useMutation({
    mutationFn: async ({ snapshotId, paths }: Wanted) => ({
      snapshot: await queryClient.fetchQuery(snapshotQuery(snapshotId)),
      paths,
    }),
    onSuccess: setAsked,
    onError: notifyFailed('Nothing was restored'),
  })
  return {
    restore: mayRestore ? read.mutate : undefined,
    dialog: asked && <RestoreDialog {...asked} onClose={() => setAsked(null)} />,
  }
}
