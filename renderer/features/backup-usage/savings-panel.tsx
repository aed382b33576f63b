import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PolicySavings } from '../../../shared/api/backup-usage.ts'
import { retentionSavingsQuery } from '../../data/backup-usage.ts'
import { bytes, count, dash, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { lessWords } from './less-words.ts'

/** What shorter retention would free. */
export function SavingsPanel({ orgId }: { orgId: string }) {
  const [isAsked, setIsAsked] = useState(false)
  const savings = useQuery({ ...retentionSavingsQuery(orgId), enabled: isAsked })
  return (
    <Panel title="If snapshots were kept half as long">
      <Text size="sm" c="dimmed" mb="sm">
        What each policy would free if it kept half as many snapshots. This is an estimate: it takes what is stored
        beyond the newest snapshot, and shares it out by how much each backup added. Snapshots on legal hold, locked or
        the last of their kind stay.
      </Text>
      {isAsked ? (
        <Listed of={savings} empty="No policy backs up a device here.">
          {(rows) => (
            <DataTable
              label="What shorter retention would free"
              rows={rows}
              rowKey={({ policyId }) => policyId}
              columns={columns}
              minWidth={720}
            />
          )}
        </Listed>
      ) : (
        <Button variant="default" size="xs" onClick={() => setIsAsked(true)}>
          Estimate
        </Button>
      )}
    </Panel>
  )
}

const columns: Column<PolicySavings>[] = [
  {
    id: 'policy',
    title: 'Policy',
    wrap: 'anywhere',
    cell: ({ policyName, devices }) => (
      <>
        <Text size="sm" fw={500} component="span" data-main>
          {policyName}
        </Text>
        <SecondLine>{plural(devices, 'device')}</SecondLine>
      </>
    ),
  },
  { id: 'less', title: 'If it kept', wrap: 'anywhere', cell: ({ less }) => lessWords(less) },
  {
    id: 'going',
    title: 'Snapshots that would go',
    align: 'right',
    cell: ({ less, goingSnapshots, snapshots }) =>
      less === null ? dash : `${count(goingSnapshots)} of ${count(snapshots)}`,
  },
  {
    id: 'saved',
    title: 'About',
    cardTitle: 'Would free about',
    align: 'right',
    wrap: 'never',
    cell: ({ less, savedBytes, storedBytes }) => (
      <>
        {less === null ? dash : bytes(savedBytes)}
        <SecondLine>of {bytes(storedBytes)}</SecondLine>
      </>
    ),
  },
]
