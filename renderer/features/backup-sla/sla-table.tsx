import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { SlaConfig } from '../../../shared/api/backup-sla.ts'
import { changeSla, removeSla } from '../../data/backup-sla.ts'
import { minutesWords, targetsWords } from '../../domain/backup-sla/sla-words.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

interface Props {
  orgId: string
  configs: readonly SlaConfig[]
  /** Undefined for people who may not change any. */
  onEdit: ((id: string) => void) | undefined
}

/** What is promised, and whether it is kept. */
export function SlaTable({ orgId, configs, onEdit }: Props) {
  const menu =
    onEdit && menuColumn((one: SlaConfig) => <SlaMenu orgId={orgId} sla={one} onEdit={() => onEdit(one.id)} />)
  return (
    <DataTable
      label="SLAs"
      rows={configs}
      rowKey={({ id }) => id}
      columns={menu ? [...columns, menu] : columns}
      minWidth={760}
      {...(onEdit && { onOpen: ({ id }: SlaConfig) => onEdit(id) })}
    />
  )
}

const columns: Column<SlaConfig>[] = [
  { id: 'name', title: 'Name', look: 'strong', wrap: 'anywhere', cell: ({ name }) => name },
  { id: 'state', title: 'State', wrap: 'never', cell: (sla) => <State sla={sla} /> },
  {
    id: 'rpo',
    title: 'Backups at most',
    wrap: 'never',
    cell: ({ rpoTargetMinutes }) => `${minutesWords(rpoTargetMinutes)} old`,
  },
  { id: 'rto', title: 'Restore within', wrap: 'never', cell: ({ rtoTargetMinutes }) => minutesWords(rtoTargetMinutes) },
  {
    id: 'targets',
    title: 'For',
    cell: (sla) => (
      <>
        {targetsWords(sla)}
        {sla.isActive && sla.deviceCount !== null && (
          <SecondLine>{plural(sla.deviceCount, 'device')} in service</SecondLine>
        )}
      </>
    ),
  },
  {
    id: 'checked',
    title: 'Checked',
    wrap: 'never',
    cell: ({ checkedAt }) => <RelativeTime at={checkedAt} isPast never="Not yet" />,
  },
]

function State({ sla: { isActive, checkedAt, breachedDevices, deviceCount } }: { sla: SlaConfig }) {
  if (!isActive) return <StatusDot tone="idle">Off</StatusDot>
  if (breachedDevices > 0) return <StatusDot tone="bad">{`Not met on ${plural(breachedDevices, 'device')}`}</StatusDot>
  if (checkedAt === null) return <StatusDot tone="busy">Not checked yet</StatusDot>
  return deviceCount === 0 ? <StatusDot tone="warn">No devices</StatusDot> : <StatusDot tone="good">Met</StatusDot>
}

function SlaMenu({
  orgId,
  sla: { id, name, isActive },
  onEdit,
}: {
  orgId: string
  sla: SlaConfig
  onEdit: () => void
}) {
  const change = useMutation({ ...changeSla(orgId, id), onError: notifyFailed(`${name} wasn’t changed`) })
  const remove = useMutation(removeSla(orgId))
  const confirmRemoval = async () => {
    const isRemoved = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: 'All its breaches are deleted too, those that are over included.',
      confirm: 'Delete SLA',
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
          ? { label: 'Turn off', Icon: IconPlayerPause, onClick: () => change.mutate({ isActive: false }) }
          : { label: 'Turn on', Icon: IconPlayerPlay, onClick: () => change.mutate({ isActive: true }) },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: confirmRemoval },
      ]}
    />
  )
}
