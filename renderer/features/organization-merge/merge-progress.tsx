import { Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isUnfinished, lifecycleChanged } from '../../data/lifecycle.ts'
import { mergeRunQuery } from '../../data/organization-merge.ts'
import { WorkProgress } from '../../ui/work-progress.tsx'
import { mergePercent, phaseText, spokenPhase } from './merge-labels.ts'

/** Progress of a merge; at its end, everything that shows its organizations is refetched. */
export function MergeProgress({ jobId }: { jobId: string }) {
  const { data } = useQuery(mergeRunQuery(jobId))
  const isOver = data !== undefined && !isUnfinished(data)
  useEffect(() => {
    if (isOver) void lifecycleChanged()
  }, [isOver])
  const text = isOver ? 'Finishing' : phaseText(data?.progress)
  return (
    <div>
      <Text size="sm" className="nums">
        {text}
      </Text>
      <WorkProgress label="Merge" text={text} percent={mergePercent(data?.progress)} />
      <VisuallyHidden role="status">{isOver ? 'Finishing' : spokenPhase(data?.progress)}</VisuallyHidden>
    </div>
  )
}
