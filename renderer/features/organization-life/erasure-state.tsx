import { Text } from '@mantine/core'
import type { ErasureView } from '../../../shared/api/organization-life.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { erasureWords } from './words.ts'
import { WorkBar } from './work-bar.tsx'

/** How far a deletion for good is. */
export function ErasureState({ erasure }: { erasure: ErasureView }) {
  const { orgName, state, done, total, finishedAt } = erasure
  if (state === 'completed') {
    return (
      <Text size="sm" c="dimmed">
        Deleted <RelativeTime at={finishedAt} />
      </Text>
    )
  }
  const words = erasureWords(erasure)
  return (
    <div>
      <Text size="sm" c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} className="nums">
        {words}
      </Text>
      {state === 'active' && (
        <WorkBar label={`Deletion of ${orgName}`} words={words} percent={total ? (done / total) * 100 : null} />
      )}
    </div>
  )
}
