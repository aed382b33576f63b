import { Table, Text, VisuallyHidden } from '@mantine/core'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueries, useQuery } from '@tanstack/react-query'
import type { EnrollmentKey } from '../../../shared/api/enrollment-keys.ts'
import { deleteEnrollmentKeyMutation, rotateEnrollmentKeyMutation } from '../../data/enrollment-keys.ts'
import { organizationTreeQuery } from '../../data/organizations.ts'
import { siteQuery } from '../../data/sites.ts'
import { count, plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useNow } from '../../lib/now.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { showCreatedKey } from './created-key-dialog.tsx'
import { type KeyStatus, keyStatus } from './key-status.ts'

const states: Record<KeyStatus, { word: string; tone: Tone }> = {
  usable: { word: 'Usable', tone: 'good' },
  expired: { word: 'Expired', tone: 'idle' },
  exhausted: { word: 'Used up', tone: 'idle' },
}

export function KeyTable({ keys, isStale }: { keys: EnrollmentKey[]; isStale?: boolean }) {
  const me = useMe()
  const now = useNow()
  const placeOf = useOwnerNames(keys)
  return (
    <TableFrame label="Enrollment keys" isStale={isStale}>
      <Table tabularNums miw={{ sm: 680 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Organization</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Uses</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th w={50}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => {
            const { word, tone } = states[keyStatus(key, now)]
            return (
              <Table.Tr key={key.id}>
                <Table.Td fw={500}>{key.name}</Table.Td>
                <Table.Td data-label="Organization">
                  {placeOf(key).organization}
                  <Text size="xs" c="dimmed">
                    {placeOf(key).site}
                  </Text>
                </Table.Td>
                <Table.Td data-label="State">
                  <StatusDot tone={tone}>{word}</StatusDot>
                </Table.Td>
                <Table.Td data-label="Uses">
                  {count(key.usageCount)}
                  {key.maxUsage === null ? ', no limit' : ` of ${count(key.maxUsage)}`}
                </Table.Td>
                <Table.Td data-label="Expires">
                  <RelativeTime at={key.expiresAt} never="Never" />
                </Table.Td>
                <Table.Td data-label="Created">
                  <RelativeTime at={key.createdAt} />
                </Table.Td>
                <Table.Td data-corner>{can(me, 'organizations:write') && <KeyMenu enrollmentKey={key} />}</Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

/** Names of the organizations and sites of the keys; each site is fetched once. */
function useOwnerNames(keys: EnrollmentKey[]) {
  const organizations = useQuery(organizationTreeQuery).data
  const siteIds = [...new Set(keys.flatMap(({ siteId }) => siteId ?? []))]
  const sites = useQueries({ queries: siteIds.map((id) => siteQuery(id)) })
  return ({ orgId, siteId }: EnrollmentKey) => ({
    organization: organizations?.find(({ id }) => id === orgId)?.name ?? '…',
    site: siteId === null ? 'any site' : sites.find(({ data }) => data?.id === siteId)?.data?.name,
  })
}

function KeyMenu({ enrollmentKey: { id, name, usageCount } }: { enrollmentKey: EnrollmentKey }) {
  const rotate = useMutation(rotateEnrollmentKeyMutation)
  const remove = useMutation(deleteEnrollmentKeyMutation)
  const confirmRotate = () =>
    askToConfirm({
      title: `Rotate ${name}?`,
      consequences:
        'The key gets a new secret and its uses count from zero. Lines that hold the old secret stop working; enrolled devices are not touched.',
      confirm: 'Rotate the key',
      cancel: 'Leave it',
      isHarmless: true,
      run: async () => showCreatedKey(await rotate.mutateAsync(id)),
      failed: 'The key was not rotated',
    })
  const confirmDelete = async () => {
    const isDeleted = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: [
        'No further device can join with it.',
        usageCount > 0 && `The ${plural(usageCount, 'device')} that joined with it stay${usageCount === 1 ? 's' : ''}.`,
      ],
      confirm: 'Delete the key',
      cancel: 'Keep it',
      run: () => remove.mutateAsync(id),
      failed: 'The key was not deleted',
    })
    if (isDeleted) notifyDone(`${name} is deleted`)
  }
  return (
    <RowMenu
      name={name}
      isBusy={rotate.isPending || remove.isPending}
      actions={[
        { label: 'Rotate…', Icon: IconRefresh, onClick: confirmRotate },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: confirmDelete },
      ]}
    />
  )
}
