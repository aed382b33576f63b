import { Modal } from '@mantine/core'
import type { Organization } from '../../../shared/api/organizations.ts'
import { useNarrow } from '../../lib/use-narrow.ts'
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
      <Inside organization={organization} action={action} onClose={onClose} />
    </Modal>
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
