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
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { showCreatedKey } from './created-key-dialog.tsx'
import { type KeyStatus, keyStatus } from './key-status.ts'

const states: Record<KeyStatus, { word: string; tone: Tone }> = {
  usable: { word: 'Usable', tone: 'good' },
  expired: { word: 'Expired', tone: 'idle' },
  exhausted: { word: 'Used up', tone: 'idle' },
}

interface Props {
  keys: EnrollmentKey[]
  isStale?: boolean
  /** Says of which organization each key is; otherwise only of which site. */
  hasOrganizations?: boolean
}

export function KeyTable({ keys, isStale, hasOrganizations }: Props) {
  const mayWrite = can(useMe(), 'organizations:write')
  const ownerOf = useOwnerNames(keys)
  const columns: Column<EnrollmentKey>[] = [
    { id: 'name', title: 'Name', look: 'strong', cell: ({ name }) => name },
    hasOrganizations
      ? { id: 'organization', title: 'Organization', cell: (key) => <Owner {...ownerOf(key)} /> }
      : { id: 'site', title: 'Site', cell: (key) => ownerOf(key).site },
    { id: 'state', title: 'Status', cell: (key) => <State enrollmentKey={key} /> },
    {
      id: 'uses',
      title: 'Uses',
      align: 'right',
      wrap: 'never',
      cell: ({ usageCount, maxUsage }) =>
        `${count(usageCount)}${maxUsage === null ? ', no limit' : ` of ${count(maxUsage)}`}`,
    },
    { id: 'expires', title: 'Expires', cell: ({ expiresAt }) => <RelativeTime at={expiresAt} never="Never" /> },
    { id: 'created', title: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    menuColumn((key) => mayWrite && <KeyMenu enrollmentKey={key} />),
  ]
  return (
    <DataTable
      label="Enrollment keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={680}
      isStale={isStale}
    />
  )
}

function Owner({ organization, site }: { organization: string; site: string | undefined }) {
  return (
    <>
      {organization}
      <SecondLine>{site}</SecondLine>
    </>
  )
}

function State({ enrollmentKey }: { enrollmentKey: EnrollmentKey }) {
  const { word, tone } = states[keyStatus(enrollmentKey, useNow())]
  return <StatusDot tone={tone}>{word}</StatusDot>
}

/** Names of the organizations and sites of the keys; each site is fetched once. */
function useOwnerNames(keys: EnrollmentKey[]) {
  const organizations = useQuery(organizationTreeQuery).data
  const siteIds = [...new Set(keys.flatMap(({ siteId }) => siteId ?? []))]
  const sites = useQueries({ queries: siteIds.map((id) => siteQuery(id)) })
  return ({ orgId, siteId }: EnrollmentKey) => ({
    organization: organizations?.find(({ id }) => id === orgId)?.name ?? '…',
    site: siteId === null ? 'Any site' : sites.find(({ data }) => data?.id === siteId)?.data?.name,
  })
}

function KeyMenu({ enrollmentKey: { id, name, usageCount } }: { enrollmentKey: EnrollmentKey }) {
  const rotate = useMutation(rotateEnrollmentKeyMutation)
  const remove = useMutation(deleteEnrollmentKeyMutation)
  const confirmRotate = () =>
    askToConfirm({
      title: `Rotate ${name}?`,
      consequences:
        'The key gets a new secret, and its uses count from zero. Commands with the old secret stop working; enrolled devices aren’t affected.',
      confirm: 'Rotate key',
      run: async () => showCreatedKey(await rotate.mutateAsync(id)),
      failed: 'The key wasn’t rotated',
    })
  const confirmDelete = async () => {
    const isDeleted = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: [
        'No more devices can join with it.',
        usageCount > 0 && `The ${plural(usageCount, 'device')} that joined with it stay${usageCount === 1 ? 's' : ''}.`,
      ],
      confirm: 'Delete key',
      run: () => remove.mutateAsync(id),
      failed: 'The key wasn’t deleted',
    })
    if (isDeleted) notifyDone(`${name} was deleted`)
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
