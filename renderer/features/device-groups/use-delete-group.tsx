import { List, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { removeGroup } from '../../data/device-groups.ts'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/** Confirms and deletes; a group with children says so instead. */
export function useDeleteGroup({ id, name }: DeviceGroup, groups: readonly DeviceGroup[], onDone = () => {}) {
  const remove = useMutation(removeGroup)
  const below = groups.filter(({ parentId }) => parentId === id)
  const refuse = () =>
    modals.open({
      title: `${name} can’t be deleted yet`,
      children: (
        <>
          <Text size="sm">These groups are inside it. Move or delete them first.</Text>
          <List size="sm" mt="xs">
            {below.map((group) => (
              <List.Item key={group.id}>{group.name}</List.Item>
            ))}
          </List>
        </>
      ),
    })
  const confirm = async () => {
    const isDeleted = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: 'Its devices stay; they only leave this group.',
      confirm: 'Delete group',
      run: () => remove.mutateAsync(id),
      failed: 'The group wasn’t deleted',
    })
    if (!isDeleted) return
    notifyDone(`${name} was deleted`)
    onDone()
  }
  return { ask: below.length > 0 ? refuse : confirm, isPending: remove.isPending }
}
