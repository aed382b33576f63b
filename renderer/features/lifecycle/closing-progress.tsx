import { Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { offboardingQuery } from '../../data/lifecycle.ts'
import { count, exactTime, plural } from '../../lib/format.ts'
import { spokenProgress } from '../../lib/spoken-progress.ts'
import { WorkProgress } from '../../ui/work-progress.tsx'

/** How many agents have uninstalled themselves, and when the others run out of time. */
export function ClosingProgress({ organization: { id, offboardingTarget } }: { organization: Organization }) {
  const { data } = useQuery(offboardingQuery(id))
  if (!data) return null
  const { removed, waiting, endsBy } = data
  const total = removed + waiting
  const [ending, ended] = offboardingTarget === 'archive' ? ['Archiving', 'archived'] : ['Closing', 'closed']
  const text =
    waiting === 0
      ? `All agents are removed. ${ending}…`
      : `${count(removed)} of ${plural(total, 'agent')} removed, ${count(waiting)} to go.`
  return (
    <>
      <Text size="sm" mt={6} fw={600} className="nums">
        {text}
      </Text>
      {total > 0 && (
        <WorkProgress
          label="Agents removed"
          text={`${count(removed)} of ${count(total)}`}
          percent={(removed / total) * 100}
        />
      )}
      {waiting > 0 && (
        <Text size="sm" c="dimmed">
          Devices that are off are asked when they come back. The organization is {ended} on {exactTime(endsBy)} at the
          latest.
        </Text>
      )}
      <VisuallyHidden role="status">{total > 0 && `Removing agents: ${spokenProgress(removed, total)}`}</VisuallyHidden>
    </>
  )
}
