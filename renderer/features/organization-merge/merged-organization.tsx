import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { MergeRun } from '../../../shared/api/organization-merge.ts'
import { mergeRunQuery } from '../../data/organization-merge.ts'
import { FormerOrganizationPage } from '../../domain/organizations/former-organization-page.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed } from '../../ui/states.tsx'
import { mergedNames, movedRecords } from './merge-labels.ts'
import { MovedRecordsTable, Sentences } from './merge-preview.tsx'

/** In place of an organization that was merged into another: what was moved. */
export function MergedOrganization({ run }: { run: MergeRun }) {
  const { jobId, survivorId, finishedAt } = run
  const [loserName, survivorName] = mergedNames(run)
  const { data, error, refetch } = useQuery(mergeRunQuery(jobId))
  const { tables = {}, warnings = [] } = data?.result ?? {}
  const moves = movedRecords(
    Object.entries(tables)
      .filter(([table]) => !table.startsWith('__'))
      .map(([table, { moved, dropped }]) => ({ table, loserRows: moved + dropped, wouldDrop: dropped })),
  )
  return (
    <FormerOrganizationPage title={`${loserName} was merged`}>
      <Stack maw={640}>
        <Notice tone="good" role="status">
          <Group justify="space-between" gap="sm">
            <Text size="sm" style={{ flex: '1 1 260px' }}>
              Everything is now in <b>{survivorName}</b>. Merged <RelativeTime at={finishedAt} />.
            </Text>
            <ButtonLink size="xs" to="/organizations/$orgId" params={{ orgId: survivorId }} search={{}}>
              Open {survivorName}
            </ButtonLink>
          </Group>
        </Notice>
        {warnings.length > 0 && (
          <Notice tone="warn" title="Good to know">
            <Sentences lines={warnings} />
          </Notice>
        )}
        {error && !data ? (
          <LoadFailed error={error} onRetry={refetch} />
        ) : (
          moves.length > 0 && (
            <Panel title="Moved records">
              <MovedRecordsTable
                label={`Records moved to ${survivorName}`}
                moves={moves}
                heads={['Moved', 'Deleted']}
              />
            </Panel>
          )
        )}
      </Stack>
    </FormerOrganizationPage>
  )
}
