import { Button, Group, Modal } from '@mantine/core'
import { IconPlus, IconStack2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Organization } from '../../../shared/api/organizations.ts'
import { deviceGroupsQuery } from '../../data/device-groups.ts'
import { sitesQuery } from '../../data/sites.ts'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { withDistinctNames } from '../../domain/sites/site-names.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { EmptyList, LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { GroupDetails } from './group-details.tsx'
import { GroupForm } from './group-form.tsx'
import { GroupTable } from './group-table.tsx'

export function GroupsTab({ organization }: { organization: Organization }) {
  const { id: orgId } = organization
  const me = useMe()
  const mayWrite = can(me, 'devices:write') && !isFrozen(organization)
  const { group: shownId, edit, item } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const { data: groups, error, refetch } = useQuery(deviceGroupsQuery(orgId))
  const sites = withDistinctNames(useQuery({ ...sitesQuery(orgId), enabled: can(me, 'sites:read') }).data ?? [])
  if (error && !groups) return <LoadFailed error={error} onRetry={refetch} />
  if (!groups) return <SkeletonLines />
  const shown = groups.find(({ id }) => id === shownId)
  const edited = groups.find(({ id }) => id === item)
  const isOpen = edit === 'group' && mayWrite
  const openForm = (id?: string) => navigate({ search: (old) => ({ ...old, edit: 'group' as const, item: id }) })
  const close = () => navigate({ search: (old) => ({ ...old, edit: undefined, item: undefined }) })
  const show = (group: string | undefined) => navigate({ search: { tab: 'groups', group } })
  const createButton = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => openForm()}>
      New group
    </Button>
  )
  const form = { orgId, sites, groups }
  return (
    <>
      {shown ? (
        <GroupDetails
          key={shown.id}
          group={shown}
          groups={groups}
          sites={sites}
          mayWrite={mayWrite}
          onEdit={() => openForm(shown.id)}
          onDeleted={() => show(undefined)}
        />
      ) : groups.length === 0 ? (
        <EmptyList icon={<IconStack2 stroke={1.5} />} title="No groups yet" action={createButton}>
          Group devices manually or with a rule.
        </EmptyList>
      ) : (
        <>
          <Group justify="flex-end" mb="sm">
            {createButton}
          </Group>
          <GroupTable groups={groups} sites={sites} onEdit={mayWrite ? openForm : undefined} />
        </>
      )}
      <Modal opened={isOpen && !item} onClose={closeUnlessUnsaved(close)} title="New group" size="xl">
        <GroupForm {...form} onDone={({ id }) => show(id)} />
      </Modal>
      <Modal opened={isOpen && edited !== undefined} onClose={closeUnlessUnsaved(close)} title="Edit group" size="xl">
        {edited && <GroupForm key={edited.id} {...form} group={edited} onDone={close} />}
      </Modal>
    </>
  )
}
