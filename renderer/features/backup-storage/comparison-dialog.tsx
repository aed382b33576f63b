import { Button, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ReconcileFinding, ReconcileResult, ReconcileState } from '../../../shared/api/backup-maintenance.ts'
import { compareWithStorage, comparisonQuery, snapshotsChanged } from '../../data/backup-maintenance.ts'
import { count, plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { WorkProgress } from '../../ui/work-progress.tsx'

export const openComparison = (orgId: string) =>
  modals.open({ title: 'Compare with storage', size: 'lg', children: <ComparisonDialog orgId={orgId} /> })

/** Looks for snapshots that are listed and not stored, or stored and not listed, and puts that right. */
function ComparisonDialog({ orgId }: { orgId: string }) {
  const last = useQuery(comparisonQuery(orgId))
  const start = useMutation(compareWithStorage(orgId))
  const state = last.data
  const isFixed = state?.state === 'completed' && state.isConfirmed
  useEffect(() => {
    if (isFixed) void snapshotsChanged()
  }, [isFixed])
  const isRunning = start.isPending || state?.state === 'running'
  const open = state?.result?.findings.filter(({ isProtected }) => !isProtected).length ?? 0
  return (
    <Stack gap="sm">
      <Text size="sm">
        Compares the snapshots listed here with those in storage, for example after a restore of the appliance. Nothing
        changes until you say so.
      </Text>
      <Loaded of={last} lines={2}>
        {(data) => data && <Compared {...data} />}
      </Loaded>
      <FormError error={start.error} title="The comparison wasn’t started" />
      <DialogFooter>
        <Button variant="default" onClick={() => modals.closeAll()} {...(open > 0 && { 'data-autofocus': true })}>
          Close
        </Button>
        <Button
          variant={open > 0 ? 'default' : 'filled'}
          loading={isRunning}
          onClick={() => start.mutate({})}
          {...(open === 0 && { 'data-autofocus': true })}
        >
          {state ? 'Compare again' : 'Compare'}
        </Button>
        {open > 0 && !isRunning && (
          <Button onClick={() => start.mutate({ confirm: true })}>Fix {plural(open, 'difference')}</Button>
        )}
      </DialogFooter>
    </Stack>
  )
}

function Compared({ state, progress, result, error, finishedAt }: ReconcileState) {
  if (state === 'running') {
    const { done, total } = progress ?? { done: 0, total: 0 }
    const text = total === 0 ? 'Comparing…' : `Comparing ${count(done + 1)} of ${count(total)}`
    return (
      <div aria-live="polite">
        <Text size="sm">{text}</Text>
        <WorkProgress label="Progress" text={text} percent={total === 0 ? null : (done / total) * 100} />
      </div>
    )
  }
  return (
    <Stack gap="sm" aria-live="polite">
      <Text size="sm" c="dimmed">
        Last compared <RelativeTime at={finishedAt} />
      </Text>
      {state === 'failed' && (
        <Notice tone="bad" title="The comparison failed">
          {error}
        </Notice>
      )}
      {result && <Result {...result} />}
    </Stack>
  )
}

function Result({ repositories, unreachable, findings, adopted, removed }: ReconcileResult) {
  const isChanged = adopted + removed > 0
  return (
    <>
      {isChanged && (
        <Notice tone="good">
          {plural(adopted, 'snapshot')} listed again, {count(removed)} removed.
        </Notice>
      )}
      {findings.length === 0 && !isChanged && repositories > 0 && (
        <Notice tone="good">No differences on {plural(repositories, 'device')}.</Notice>
      )}
      {findings.length > 0 && (
        <>
          <Text size="sm">
            If you fix them, snapshots found in storage are listed again, and missing ones are removed from the list.
          </Text>
          <DataTable label="Differences" rows={findings} rowKey={({ id }) => id} columns={columns} minWidth={480} />
        </>
      )}
      {unreachable.length > 0 && (
        <Notice tone="warn" title={`${plural(unreachable.length, 'device')} not compared`}>
          {unreachable.slice(0, 20).map(({ deviceId, deviceName, reason }) => (
            <Text key={`${deviceId} ${reason}`} size="sm">
              {deviceName}: {reason}
            </Text>
          ))}
        </Notice>
      )}
    </>
  )
}

const columns: Column<ReconcileFinding>[] = [
  { id: 'device', title: 'Device', look: 'strong', wrap: 'anywhere', cell: ({ deviceName }) => deviceName },
  { id: 'taken', title: 'Snapshot', wrap: 'never', cell: ({ takenAt }) => <RelativeTime at={takenAt} /> },
  { id: 'difference', title: 'Difference', cell: words },
]

function words({ kind, isProtected }: ReconcileFinding): string {
  if (kind === 'unknown') return 'In storage, not listed here'
  return isProtected ? 'Missing in storage; stays listed because it’s protected' : 'Missing in storage'
}
