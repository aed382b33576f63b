import { Modal, Text } from '@mantine/core'
import type { Organization } from '../../../shared/api/organizations.ts'
import { useNarrow } from '../../lib/use-narrow.ts'
import { identityOf } from '../organizations/namesakes.ts'
import { useDeviceCount } from '../organizations/use-device-count.ts'
import type { Action } from './actions.ts'
import { ArchiveForm } from './archive-form.tsx'
import { MergeForm } from './merge-form.tsx'
import { RemoveForm } from './remove-form.tsx'
import { RestoreForm } from './restore-form.tsx'
import { StatusForm } from './status-form.tsx'
import { titleOf } from './words.ts'

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
