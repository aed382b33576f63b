import { ActionIcon, Group, Menu } from '@mantine/core'
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
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
    <Group justify="flex-end">
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${group.name}`} loading={remove.isPending}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
            Edit…
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={remove.ask}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
