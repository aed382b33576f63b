import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ErasureView } from '../../../shared/api/lifecycle.ts'
import type { MergeRun } from '../../../shared/api/organization-merge.ts'
import { erasuresQuery, mergeRunQuery } from '../../data/lifecycle.ts'
import { useMergeRuns } from '../../domain/organization-merge/use-merge-runs.ts'
import { pairNames } from '../../domain/organizations/same-names.ts'
import { useArrival } from '../../lib/use-focus-on-appear.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { movesOf, namesOf } from '../organization-merge/merge-labels.ts'
import { MoveTable, Sentences } from '../organization-merge/merge-preview.tsx'
import { NotFound } from '../shell/page-failed.tsx'
import { ErasureState } from './erasure-state.tsx'

/** In place of an organization that does not exist any more: what became of it, as long as somebody may ask. */
export function GoneOrganization({ orgId }: { orgId: string }) {
  const runs = useMergeRuns()
  const erasures = useQuery(erasuresQuery)
  if (runs.isLoading || erasures.isLoading) return <Lines />
  const run = runs.data?.find(({ loserId, state }) => loserId === orgId && state === 'completed')
  if (run) return <MergedAway run={run} />
  const erasure = erasures.data?.find((one) => one.orgId === orgId)
  return erasure ? <Erased erasure={erasure} /> : <NotFound />
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  const ref = useArrival<HTMLDivElement>()
  return (
    <div ref={ref} tabIndex={-1} style={{ outline: 'none' }}>
      <PageHeader
        title={title}
        before={
          <TextLink to="/organizations" size="sm">
            Organizations
          </TextLink>
        }
      />
      {children}
    </div>
  )
}

function MergedAway({ run }: { run: MergeRun }) {
  const { jobId, survivorId, finishedAt } = run
  const [loserName, survivorName] = namesOf(run)
  const { data, error, refetch } = useQuery(mergeRunQuery(jobId))
  const { tables = {}, warnings = [] } = data?.result ?? {}
  const moves = movesOf(
    Object.entries(tables)
      .filter(([table]) => !table.startsWith('__'))
      .map(([table, { moved, dropped }]) => ({ table, loserRows: moved + dropped, wouldDrop: dropped })),
  )
  return (
    <Frame title={`${loserName} is merged`}>
      <Stack maw={640}>
        <Notice tone="good" role="status">
          <Group justify="space-between" gap="sm">
            <Text size="sm" style={{ flex: '1 1 260px' }}>
              Everything it had is in <b>{survivorName}</b> now. That was done <RelativeTime at={finishedAt} />.
            </Text>
            <ButtonLink size="xs" to="/organizations/$orgId" params={{ orgId: survivorId }} search={{}}>
              Open {survivorName}
            </ButtonLink>
          </Group>
        </Notice>
        {warnings.length > 0 && (
          <Notice tone="warn" title="Worth knowing">
            <Sentences lines={warnings} />
          </Notice>
        )}
        {error && !data ? (
          <Failed error={error} onRetry={refetch} />
        ) : (
          moves.length > 0 && (
            <Panel title="What was moved">
              <MoveTable label={`What was moved to ${survivorName}`} moves={moves} heads={['Moved', 'Deleted']} />
            </Panel>
          )
        )}
      </Stack>
    </Frame>
  )
}

function Erased({ erasure }: { erasure: ErasureView }) {
  const isDone = erasure.state === 'completed'
  if (erasure.mergedInto) {
    const [loserName] = pairNames({ name: erasure.orgName, slug: erasure.orgSlug }, erasure.mergedInto)
    return (
      <Frame title={`${loserName} is merged`}>
        <ErasureState erasure={erasure} />
      </Frame>
    )
  }
  return (
    <Frame title={isDone ? `${erasure.orgName} is deleted` : `${erasure.orgName} is being deleted`}>
      <Panel title={erasure.isKept ? 'Deleted' : 'Deleted for good'}>
        <Text size="sm" mb="sm">
          {erasure.isKept
            ? 'It is off every list, and nobody gets it back. Its short name stays taken.'
            : isDone
              ? 'Everything it had is gone, and its short name is free again.'
              : 'The time it was kept in the archive is over. It can not be restored any more.'}
        </Text>
        <ErasureState erasure={erasure} />
      </Panel>
    </Frame>
  )
}
