import { IconEye, IconEyeOff, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { BackupProfile } from '../../../../shared/api/backup-profiles.ts'
import { changeProfile, removeProfile } from '../../../data/backup-profiles.ts'
import { notifyDone, notifyFailed } from '../../../lib/notify.ts'
import { useMe } from '../../../lib/session.ts'
import { askToConfirm } from '../../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../../ui/data-table/column.tsx'
import { DataTable } from '../../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../../ui/data-table/second-line.tsx'
import { RowMenu } from '../../../ui/row-menu.tsx'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { protectsWords } from './profile-draft.ts'

interface Props {
  profiles: readonly BackupProfile[]
  mayWrite: boolean
  onEdit: (id: string) => void
}

export function ProfileTable({ profiles, mayWrite, onEdit }: Props) {
  const { canManagePartnerWide } = useMe()
  const isWritable = ({ orgId }: BackupProfile) => mayWrite && (orgId !== null || canManagePartnerWide)
  return (
    <DataTable
      label="Profiles"
      rows={profiles}
      rowKey={({ id }) => id}
      columns={[
        ...columns,
        menuColumn(
          (profile: BackupProfile) =>
            isWritable(profile) && <ProfileMenu profile={profile} onEdit={() => onEdit(profile.id)} />,
        ),
      ]}
      minWidth={640}
      {...(mayWrite && { onOpen: (profile: BackupProfile) => isWritable(profile) && onEdit(profile.id) })}
    />
  )
}

const columns: Column<BackupProfile>[] = [
  {
    id: 'name',
    title: 'Profile',
    look: 'strong',
    wrap: 'anywhere',
    cell: ({ name, orgId }) => (
      <>
        {name}
        {orgId === null && <SecondLine>Of the company</SecondLine>}
      </>
    ),
  },
  { id: 'protects', title: 'Protects', cell: protectsWords },
  { id: 'description', title: 'Description', wrap: 'anywhere', cell: ({ description }) => description },
  {
    id: 'state',
    title: 'Status',
    wrap: 'never',
    cell: ({ isActive }) =>
      isActive ? <StatusDot tone="good">Offered</StatusDot> : <StatusDot tone="idle">Not offered</StatusDot>,
  },
]

function ProfileMenu({ profile: { id, name, isActive }, onEdit }: { profile: BackupProfile; onEdit: () => void }) {
  const change = useMutation({ ...changeProfile(id), onError: notifyFailed(`${name} wasn’t changed`) })
  const remove = useMutation(removeProfile)
  const confirmRemoval = async () => {
    const isRemoved = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: 'A profile that policies use can’t be deleted.',
      confirm: 'Delete profile',
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
        isActive
          ? { label: 'No longer offer', Icon: IconEyeOff, onClick: () => change.mutate({ isActive: false }) }
          : { label: 'Offer again', Icon: IconEye, onClick: () => change.mutate({ isActive: true }) },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: confirmRemoval },
      ]}
    />
  )
}
