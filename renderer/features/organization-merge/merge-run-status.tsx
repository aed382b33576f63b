import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { mergeRunQuery } from '../../data/organization-merge.ts'
import { Notice } from '../../ui/notice.tsx'
import { LoadFailed } from '../../ui/states.tsx'
import { mergeFailureText } from './merge-labels.ts'
import { MergeProgress } from './merge-progress.tsx'

interface Props {
  jobId: string
  onAgain: () => void
  onClose: () => void
}

/** Follows a merge. A successful one needs no message, because the page itself changes. */
export function MergeRunStatus({ jobId, onAgain, onClose }: Props) {
  const { data, error, refetch } = useQuery(mergeRunQuery(jobId))
  if (error && !data) return <LoadFailed error={error} onRetry={refetch} />
  if (data?.state === 'failed') {
    return (
      <Stack>
        <Notice tone="bad" role="alert" title="The merge failed">
          <Text size="sm">
            {mergeFailureText(data.failedReason ?? 'internal_error')} Both organizations are as they were before.
          </Text>
        </Notice>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button autoFocus onClick={onAgain}>
            Try again
          </Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      <MergeProgress jobId={jobId} />
      <Text size="sm" c="dimmed">
        You can close this panel. The merge continues, and both organizations show its progress.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" autoFocus onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
