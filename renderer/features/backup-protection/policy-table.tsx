import { Text } from '@mantine/core'
import { IconDevices, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueries, useQuery } from '@tanstack/react-query'
import type { ConfigurationPolicy, PolicyAssignment } from '../../../shared/api/configuration-policies.ts'
import { changePolicy, policyAssignmentsQuery, removePolicy } from '../../data/backup-policies.ts'
import { profilesQuery } from '../../data/backup-profiles.ts'
import { storagesQuery } from '../../data/backup-storages.ts'
import { assignmentWords } from '../../domain/backup-policies/assignment-words.ts'
import { backupLinkOf, settingsIn } from '../../domain/backup-policies/plan-draft.ts'
import { retentionWords } from '../../domain/backup-policies/retention-words.ts'
import { scheduleWords } from '../../domain/backup-policies/schedule-words.ts'
import { useMayProtect } from '../../domain/backup-policies/use-may-protect.ts'
import { whatWords } from '../../domain/backup-policies/what-words.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

interface Props {
  orgId: string
  policies: readonly ConfigurationPolicy[]
  onEdit: (id: string) => void
  onAssign: (id: string) => void
}

export function PolicyTable({ orgId, policies, onEdit, onAssign }: Props) {
  const me = useMe()
  const mayWrite = useMayProtect()
  const words = useWords(orgId)
  const assignments = useQueries({ queries: policies.map(({ id }) => policyAssignmentsQuery(id)) })
  const assignmentsOf = ({ id }: ConfigurationPolicy) => assignments[policies.findIndex((one) => one.id === id)]?.data
  const isWritable = ({ orgId: owner }: ConfigurationPolicy) => mayWrite && (owner !== null || me.canManagePartnerWide)
  const columns: Column<ConfigurationPolicy>[] = [
    {
      id: 'name',
      title: 'Policy',
      look: 'strong',
      wrap: 'anywhere',
      cell: ({ name, orgId: owner }) => (
        <>
          {name}
          {owner === null && <SecondLine>Of the company</SecondLine>}
        </>
      ),
    },
    { id: 'what', title: 'What', wrap: 'anywhere', cell: words.what },
    {
      id: 'when',
      title: 'When',
      cell: (policy) => (
        <>
          {words.when(policy)}
          <SecondLine>{words.kept(policy)}</SecondLine>
        </>
      ),
    },
    { id: 'where', title: 'Where', wrap: 'anywhere', cell: words.where },
    { id: 'devices', title: 'Devices', cell: (policy) => <Assigned assignments={assignmentsOf(policy)} /> },
    {
      id: 'state',
      title: 'Status',
      wrap: 'never',
      cell: ({ status }) =>
        status === 'active' ? <StatusDot tone="good">On</StatusDot> : <StatusDot tone="idle">Off</StatusDot>,
    },
    menuColumn(
      (policy) =>
        isWritable(policy) && (
          <PolicyMenu policy={policy} onEdit={() => onEdit(policy.id)} onAssign={() => onAssign(policy.id)} />
        ),
    ),
  ]
  return (
    <DataTable
      label="Policies"
      rows={policies}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={960}
      {...(mayWrite && { onOpen: (policy: ConfigurationPolicy) => isWritable(policy) && onEdit(policy.id) })}
    />
  )
}

/** What a policy says, as far as it says something. */
function useWords(orgId: string) {
  const maySee = can(useMe(), 'backup:read')
  const storages = useQuery({ ...storagesQuery(orgId), enabled: maySee }).data
  const profiles = useQuery({ ...profilesQuery(orgId), enabled: maySee }).data
  const linkOf = backupLinkOf
  const settingsOf = (policy: ConfigurationPolicy) => {
    const link = linkOf(policy)
    return link ? settingsIn(link) : null
  }
  const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  return {
    what: (policy: ConfigurationPolicy) => {
      const link = linkOf(policy)
      if (!link)
        return (
          <Text size="sm" c="dimmed">
            Nothing yet
          </Text>
        )
      return whatWords(link, (id) => profiles?.find((one) => one.id === id)?.name)
    },
    when: (policy: ConfigurationPolicy) => {
      const schedule = settingsOf(policy)?.schedule
      if (!linkOf(policy)) return ''
      return schedule ? capitalized(scheduleWords(schedule)) : 'Manually'
    },
    kept: (policy: ConfigurationPolicy) =>
      linkOf(policy) ? `Kept ${retentionWords(settingsOf(policy)?.retention ?? {})}` : '',
    where: (policy: ConfigurationPolicy) => {
      const id = settingsOf(policy)?.destinationConfigId
      if (!linkOf(policy)) return ''
      return id ? (storages?.find((one) => one.id === id)?.name ?? 'A storage') : 'Default storage'
    },
  }
}

function Assigned({ assignments }: { assignments: readonly PolicyAssignment[] | undefined }) {
  if (!assignments) return '…'
  if (assignments.length === 0)
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    )
  const devices = assignments.filter(({ level }) => level === 'device')
  const others = assignments.filter(({ level }) => level !== 'device')
  const lines = [
    ...others.map(assignmentWords),
    ...(devices.length > 2 ? [plural(devices.length, 'device')] : devices.map(assignmentWords)),
  ]
  return lines.map((line) => <div key={line}>{line}</div>)
}

interface MenuProps {
  policy: ConfigurationPolicy
  onEdit: () => void
  onAssign: () => void
}

function PolicyMenu({ policy: { id, name, status, orgId }, onEdit, onAssign }: MenuProps) {
  const change = useMutation({ ...changePolicy(id), onError: notifyFailed(`${name} wasn’t changed`) })
  const remove = useMutation(removePolicy)
  const turnOff = () =>
    askToConfirm({
      title: `Turn off ${name}?`,
      consequences: [
        'Its devices are no longer backed up, unless another policy applies to them.',
        'Snapshots that exist stay as long as they were to be kept.',
      ],
      confirm: 'Turn off',
      run: () => change.mutateAsync({ status: 'inactive' }),
      failed: `${name} wasn’t turned off`,
    })
  const confirmRemoval = async () => {
    const isRemoved = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: [
        'Its devices are no longer backed up, unless another policy applies to them.',
        orgId === null && 'It is a policy of the company, and applies in other organizations too.',
        'Snapshots that exist stay as long as they were to be kept.',
      ],
      confirm: 'Delete policy',
      run: () => remove.mutateAsync(id),
      failed: `${name} wasn’t deleted`,
    })
    if (isRemoved) notifyDone(`${name} was deleted`)
  }
  return (
    <RowMenu
      name={name}
      isBusy={change.isPending || remove.isPending}
      actions={[
        { label: 'Edit…', Icon: IconPencil, onClick: onEdit },
        { label: 'Devices…', Icon: IconDevices, onClick: onAssign },
        status === 'active'
          ? { label: 'Turn off…', Icon: IconPlayerPause, onClick: turnOff }
          : { label: 'Turn on', Icon: IconPlayerPlay, onClick: () => change.mutate({ status: 'active' }) },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: confirmRemoval },
      ]}
    />
  )
}
