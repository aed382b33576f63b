import { Text } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { MergeRun } from '../../../shared/api/organization-merge.ts'
import { isUnfinished } from '../../data/lifecycle.ts'
import { mergeRunQuery } from '../../data/organization-merge.ts'
import { useMergeRuns } from '../../domain/organization-merge/use-merge-runs.ts'
import { useNow } from '../../lib/now.ts'
import { TextLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { mergedNames, mergeFailureText } from './merge-labels.ts'
import { MergeProgress } from './merge-progress.tsx'

/** How long a finished merge is shown. */
const newsMs = 86_400_000

/** Merges of this organization: those under way, and the latest ones. */
export function MergeNotices({ orgId }: { orgId: string }) {
  const { data: runs = [] } = useMergeRuns()
  const now = useNow()
  const [read, setRead] = useSessionStorage<string[]>({
    key: 'homeport.merges.read',
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const keyOf = ({ jobId, createdAt }: MergeRun) => `${jobId} ${createdAt}`
  const isNews = (run: MergeRun) => {
    if (run.finishedAt === null) return true
    // A failed merge is shown on the organization that was to go, a successful one on the one that stayed.
    const isConcerned = (run.state === 'failed' ? run.loserId : run.survivorId) === orgId
    return isConcerned && now - Date.parse(run.finishedAt) < newsMs && !read.includes(keyOf(run))
  }
  return runs
    .filter((run) => (run.loserId === orgId || run.survivorId === orgId) && isNews(run))
    .map((run) => (
      <MergeNotice
        key={keyOf(run)}
        run={run}
        isLoser={run.loserId === orgId}
        onRead={() => setRead((before) => [...before, keyOf(run)])}
      />
    ))
}

function MergeNotice({ run, isLoser, onRead }: { run: MergeRun; isLoser: boolean; onRead: () => void }) {
  const { jobId, loserId, survivorId } = run
  const [loserName, survivorName] = mergedNames(run)
  const survivor = <ToOrganization id={survivorId}>{survivorName}</ToOrganization>
  const loser = <ToOrganization id={loserId}>{loserName}</ToOrganization>
  if (isUnfinished(run)) {
    return (
      <Notice tone="busy">
        <Text size="sm" mb={6}>
          {isLoser ? (
            <>This organization is being merged into {survivor}. Nothing can be changed until the merge is finished.</>
          ) : (
            <>{loser} is being merged into this organization.</>
          )}
        </Text>
        <MergeProgress jobId={jobId} />
      </Notice>
    )
  }
  return run.state === 'failed' ? (
    <Notice tone="bad" onClose={onRead}>
      <Text size="sm">
        The merge into {survivor} failed <RelativeTime at={run.finishedAt} />. <Reason jobId={jobId} /> Both
        organizations are as they were before.
      </Text>
    </Notice>
  ) : (
    <Notice tone="good" onClose={onRead}>
      <Text size="sm">
        {loserName} was merged into this organization <RelativeTime at={run.finishedAt} />.{' '}
        <ToOrganization id={loserId}>Details</ToOrganization>
      </Text>
    </Notice>
  )
}

function Reason({ jobId }: { jobId: string }) {
  const { data } = useQuery(mergeRunQuery(jobId))
  return data?.failedReason ? mergeFailureText(data.failedReason) : null
}

function ToOrganization({ id, children }: { id: string; children: ReactNode }) {
  return (
    <TextLink to="/organizations/$orgId" params={{ orgId: id }} search={{}} inherit underline="always">
      {children}
    </TextLink>
  )
}
