import { Text } from '@mantine/core'
import type { ErasureView } from '../../../shared/api/lifecycle.ts'
import { pairNames } from '../../domain/organizations/same-names.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { WorkProgress } from '../../ui/work-progress.tsx'
import { erasureProgressText } from './action-labels.ts'

/** Progress of a deletion; for a merged organization, only where it went. */
export function ErasureState({ erasure }: { erasure: ErasureView }) {
  const { orgName, orgSlug, state, done, total, finishedAt, isKept, mergedInto } = erasure
  if (mergedInto) {
    const [, survivorName] = pairNames({ name: orgName, slug: orgSlug }, mergedInto)
    return (
      <Text size="sm" c="dimmed">
        Merged into{' '}
        <TextLink to="/organizations/$orgId" params={{ orgId: mergedInto.id }} search={{}} inherit underline="always">
          {survivorName}
        </TextLink>{' '}
        <RelativeTime at={mergedInto.at} />
      </Text>
    )
  }
  if (state === 'completed') {
    return (
      <Text size="sm" c="dimmed">
        Deleted <RelativeTime at={finishedAt} />
        {isKept && '. Its data stays on record.'}
      </Text>
    )
  }
  const text = erasureProgressText(erasure)
  return (
    <div>
      <Text size="sm" c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} className="nums">
        {text}
      </Text>
      {state === 'active' && (
        <WorkProgress label={`Deletion of ${orgName}`} text={text} percent={total ? (done / total) * 100 : null} />
      )}
    </div>
  )
}
