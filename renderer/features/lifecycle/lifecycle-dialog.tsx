import { Modal, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { distinguishingText } from '../../domain/organizations/same-names.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { confirmationTitle } from './action-labels.ts'
import { ArchiveForm } from './archive-form.tsx'
import type { LifecycleAction } from './lifecycle-actions.ts'
import { RemoveForm } from './remove-form.tsx'
import { RestoreForm } from './restore-form.tsx'
import { StatusForm } from './status-form.tsx'

interface FormProps {
  organization: Organization
  onClose: () => void
}

export type MergeFormSlot = (props: FormProps) => ReactNode

interface Props {
  organization: Organization
  action: LifecycleAction
  isOpen: boolean
  onClose: () => void
  /** The form of the action `merge`. */
  mergeForm?: MergeFormSlot | undefined
}

/** Asks for confirmation of an action and carries it out. */
export function LifecycleDialog({ organization, action, isOpen, onClose, mergeForm }: Props) {
  const isNarrow = useNarrowScreen()
  const isMerge = action === 'merge'
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={confirmationTitle(action, organization.name)}
      {...(isMerge && { size: 'lg', fullScreen: isNarrow })}
    >
      <OrganizationIdentity organization={organization} />
      <ActionForm organization={organization} action={action} onClose={onClose} mergeForm={mergeForm} />
    </Modal>
  )
}

/** Several organizations may have the same name. */
function OrganizationIdentity({ organization }: { organization: Organization }) {
  const deviceCount = useDeviceCount(organization.id)
  return (
    <Text size="sm" c="dimmed" mb="sm" style={{ overflowWrap: 'anywhere' }}>
      {distinguishingText({ ...organization, deviceCount })}
    </Text>
  )
}

function ActionForm({ organization, action, onClose, mergeForm }: Omit<Props, 'isOpen'>) {
  const props = { organization, onClose }
  switch (action) {
    case 'archive':
      return <ArchiveForm {...props} />
    case 'restore':
      return <RestoreForm {...props} />
    case 'merge':
      return mergeForm?.(props) ?? null
    case 'remove':
      return <RemoveForm {...props} />
    default:
      return <StatusForm {...props} change={action} />
  }
}
