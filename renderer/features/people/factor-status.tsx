import { Text } from '@mantine/core'
import type { MfaStatus, UserRow } from '../../../shared/api/people.ts'
import { dateOnly } from '../../lib/format.ts'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { factorText } from './factor-labels.ts'

const states: Record<MfaStatus, { word: string; tone: Tone }> = {
  enrolled: { word: 'Set up', tone: 'good' },
  pending: { word: 'Due', tone: 'warn' },
  overdue: { word: 'Overdue', tone: 'bad' },
  not_required: { word: 'None', tone: 'idle' },
}

/** Second factors of a person; otherwise whether one is required, and by when. */
export function FactorStatus({ person }: { person: UserRow }) {
  const { word, tone } = states[person.mfaStatus]
  return (
    <>
      <StatusDot tone={tone}>{(person.mfaEnabled && factorText(person.factors)) || word}</StatusDot>
      {person.mfaEnrollmentDeadline && !person.mfaEnabled && (
        <Text size="xs" c="dimmed">
          {person.mfaStatus === 'overdue' ? 'since' : 'by'} {dateOnly(person.mfaEnrollmentDeadline)}
        </Text>
      )}
    </>
  )
}
