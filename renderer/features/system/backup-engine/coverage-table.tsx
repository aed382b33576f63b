import { Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { ProgramSource, ProgramView } from '../../../../shared/api/components.ts'
import { type ComponentState, componentChanged, deleteProgram } from '../../../data/components.ts'
import { bytes, count, dash } from '../../../lib/format.ts'
import { notifyDone } from '../../../lib/notify.ts'
import { askToConfirm } from '../../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../../ui/data-table/column.tsx'
import { DataTable } from '../../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../../ui/data-table/second-line.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { RowMenu } from '../../../ui/row-menu.tsx'
import { StatusDot } from '../../../ui/status-dot.tsx'
import { type CoverageRow, coverageRows } from './coverage-rows.ts'
import { platformName } from './platform-name.ts'

export function CoverageTable({ engine }: { engine: ComponentState }) {
  const rows = coverageRows(engine)
  if (rows.length === 0) {
    return (
      <Text size="sm">
        The appliance has no restic yet, and there are no devices. Download a release, or upload one.
      </Text>
    )
  }
  return (
    <DataTable
      label="Platforms"
      rows={rows}
      rowKey={({ platform, program }) => `${platform} ${program?.version}`}
      columns={columns}
      minWidth={820}
    />
  )
}

const sourceNames: Record<ProgramSource, string> = {
  installed: 'Installed on the appliance',
  download: 'Downloaded',
  upload: 'Uploaded',
}

const columns: Column<CoverageRow>[] = [
  { id: 'platform', title: 'Platform', look: 'strong', cell: ({ platform }) => platformName(platform) },
  { id: 'version', title: 'Version', cell: (row) => <Version {...row} /> },
  { id: 'source', title: 'Source', cell: ({ program }) => (program ? <Source program={program} /> : dash) },
  {
    id: 'verified',
    title: 'Verified by',
    cell: ({ program }) => (program ? <VerifiedBy program={program} /> : dash),
  },
  {
    id: 'devices',
    title: 'Devices',
    align: 'right',
    cell: ({ devices }) => (devices ? count(devices.all) : dash),
  },
  {
    id: 'lacking',
    title: 'Without restic',
    align: 'right',
    cell: ({ devices }) => (devices ? count(devices.lacking) : dash),
  },
  menuColumn(({ program }) => program && <ProgramMenu program={program} />),
]

function Version({ program, devices }: CoverageRow) {
  if (!program) {
    return (
      <StatusDot tone="warn" isLong>
        None
      </StatusDot>
    )
  }
  return (
    <>
      <StatusDot tone={devices ? 'good' : 'idle'}>{program.version}</StatusDot>
      <SecondLine>{devices ? bytes(program.bytes) : `${bytes(program.bytes)}, replaced by a newer one`}</SecondLine>
    </>
  )
}

function Source({ program: { source, addedAt } }: { program: ProgramView }) {
  return (
    <>
      {sourceNames[source]}
      <SecondLine>
        <RelativeTime at={addedAt} />
      </SecondLine>
    </>
  )
}

function VerifiedBy({ program: { signedBy } }: { program: ProgramView }) {
  if (!signedBy) return 'The appliance’s package manager'
  return (
    <>
      Release signature
      <SecondLine isMono>
        <span title={signedBy}>…{signedBy.slice(-16)}</span>
      </SecondLine>
    </>
  )
}

function ProgramMenu({ program }: { program: ProgramView }) {
  const name = `restic ${program.version} for ${platformName(program.platform)}`
  const remove = async () => {
    const isRemoved = await askToConfirm({
      title: `Remove ${name}?`,
      consequences: program.isOffered
        ? 'Devices that have it keep it. Others of this platform get the newest version that’s left, if any.'
        : 'No device gets this version any more. Devices that have it keep it.',
      confirm: 'Remove',
      run: () => deleteProgram('restic', program),
      failed: 'It wasn’t removed',
    })
    if (!isRemoved) return
    notifyDone(`Removed ${name}`)
    await componentChanged()
  }
  return (
    <RowMenu
      name={name}
      actions={[
        { label: 'Remove…', Icon: IconTrash, isDestructive: true, isDisabled: program.isInstalled, onClick: remove },
      ]}
    />
  )
}
