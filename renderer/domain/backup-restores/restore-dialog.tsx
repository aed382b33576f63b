import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { deviceQuery } from '../../data/devices.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { SkeletonLines } from '../../ui/states.tsx'
import { RestoreForm } from './restore-form.tsx'

interface Props {
  snapshot: BackupSnapshot
  /** Files and folders of the snapshot; empty: everything in it. */
  paths: readonly string[]
  onClose: () => void
}

/** Asks where to and how, shows what that means, and leads to the restore once it has begun. */
export function RestoreDialog({ snapshot, paths, onClose }: Props) {
  const isNarrow = useNarrowScreen()
  const maySee = can(useMe(), 'devices:read')
  const source = useQuery({ ...deviceQuery(snapshot.deviceId), enabled: maySee })
  return (
    <Modal
      opened
      onClose={onClose}
      title={paths.length === 0 ? 'Restore everything' : 'Restore files'}
      size={560}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
    >
      {source.isLoading ? (
        <SkeletonLines count={6} />
      ) : (
        <RestoreForm snapshot={snapshot} paths={paths} source={source.data} onClose={onClose} />
      )}
    </Modal>
  )
}
