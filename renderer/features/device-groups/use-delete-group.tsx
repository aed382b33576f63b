import { List, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { removeGroup } from '../../data/device-groups.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'

/** Confirms and deletes; a group with children says so instead. */
export function useDeleteGroup({ id, name }: DeviceGroup, groups: readonly DeviceGroup[], onDone = () => {}) {
  const remove = useMutation(removeGroup)
  const below = groups.filter(({ parentId }) => parentId === id)
  const refuse = () =>
    modals.open({
      title: `${name} can not be deleted yet`,
      children: (
        <>
          <Text size="sm">These groups stand inside it. Move or delete them first.</Text>
          <List size="sm" mt="xs">
            {below.map((group) => (
              <List.Item key={group.id}>{group.name}</List.Item>
            ))}
          </List>
        </>
      ),
    })
  const confirm = () =>
    modals.openConfirmModal({
      title: `Delete ${name}?`,
      children: <Text size="sm">Its devices stay; they are only no longer in this group.</Text>,
      labels: { confirm: 'Delete the group', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(id, {
          onSuccess: () => {
            notifyDone(`${name} is deleted`)
            onDone()
          },
          onError: notifyFailed('The group was not deleted'),
        }),
    })
  return { ask: below.length > 0 ? refuse : confirm, isPending: remove.isPending }
}
