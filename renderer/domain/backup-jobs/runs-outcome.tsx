import { List, Text } from '@mantine/core'
import type { RunsOutcome as Outcome } from '../../data/backup-runs.ts'
import { plural } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'

/** How many backups were started, and why others were not. */
export function RunsOutcome({ outcome, onLeave }: { outcome: Outcome; onLeave?: () => void }) {
  const { started, offline, running, refused } = outcome
  const others = [
    offline > 0 && `${plural(offline, 'device is', 'devices are')} offline.`,
    running > 0 && `${plural(running, 'backup', 'backups')} of the devices ran or waited already.`,
    ...refused.map(({ reason, count }) => `${plural(count, 'device')}: ${reason}`),
  ].filter((line) => typeof line === 'string')
  return (
    <Notice tone={started > 0 ? 'good' : 'warn'} role="status">
      <Text size="sm">
        {started === 0
          ? 'No backup was started. '
          : `${started === 1 ? '1 backup was started.' : `${plural(started, 'backup')} were started.`} `}
        <TextLink to="/backup/jobs" size="sm" underline="always" {...(onLeave && { onClick: onLeave })}>
          Show jobs
        </TextLink>
      </Text>
      {others.length > 0 && (
        <List size="sm" mt={4}>
          {others.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
    </Notice>
  )
}
