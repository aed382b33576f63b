import { Modal, Text } from '@mantine/core'
import type { Organization } from '../../../shared/api/organizations.ts'
import type { Action } from '../../domain/lifecycle/lifecycle-actions.ts'
import { identityOf } from '../../domain/organizations/same-names.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { useNarrow } from '../../lib/use-narrow-screen.ts'
import { MergeForm } from '../organization-merge/merge-form.tsx'
import { titleOf } from './action-labels.ts'
import { ArchiveForm } from './archive-form.tsx'
import { RemoveForm } from './remove-form.tsx'
import { RestoreForm } from './restore-form.tsx'
import { StatusForm } from './status-form.tsx'

interface Props {
  organization: Organization
  action: Action
  isOpen: boolean
  onClose: () => void
}

/** Asks once more, and shows what comes of it. */
export function LifeDialog({ organization, action, isOpen, onClose }: Props) {
  const isNarrow = useNarrow()
  const isMerge = action === 'merge'
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={titleOf(action, organization.name)}
      {...(isMerge && { size: 'lg', fullScreen: isNarrow })}
    >
      <Identity organization={organization} />
      <Inside organization={organization} action={action} onClose={onClose} />
    </Modal>
  )
}

/** A name may be that of several. */
function Identity({ organization }: { organization: Organization }) {
  const deviceCount = useDeviceCount(organization.id)
  return (
    <Text size="sm" c="dimmed" mb="sm" style={{ overflowWrap: 'anywhere' }}>
      {identityOf({ ...organization, deviceCount })}
    </Text>
  )
}

function Inside({ organization, action, onClose }: Omit<Props, 'isOpen'>) {
  const asked = { organization, onClose }
  switch (action) {
    case 'archive':
      return <ArchiveForm {...asked} />
    case 'restore':
      return <RestoreForm {...asked} />
    case 'merge':
      return <MergeForm {...asked} />
    case 'remove':
      return <RemoveForm {...asked} />
    default:
      return <StatusForm {...asked} change={action} />
  }
}
