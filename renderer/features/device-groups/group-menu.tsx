import { IconPencil, IconTrash } from '@tabler/icons-react'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { RowMenu } from '../../ui/row-menu.tsx'
import { useDeleteGroup } from './use-delete-group.tsx'

interface Props {
  group: DeviceGroup
  groups: readonly DeviceGroup[]
  onEdit: () => void
  onDeleted?: () => void
}

export function GroupMenu({ group, groups, onEdit, onDeleted }: Props) {
  const remove = useDeleteGroup(group, groups, onDeleted)
  return (
    <RowMenu
      name={group.name}
      isBusy={remove.isPending}
      actions={[
        { label: 'Edit…', Icon: IconPencil, onClick: onEdit },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: remove.ask },
      ]}
    />
  )
}
