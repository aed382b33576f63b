import { Button, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BackupStoreUsage } from '../../../shared/api/backup-quotas.ts'
import { storeUsageQuery } from '../../data/backup-quotas.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { fullness, spaceFree, spaceUsed } from './usage-words.ts'

/** How full the backup store of the appliance is. */
export function StoreUsage({ orgId, onChangeQuota }: { orgId: string; onChangeQuota: (() => void) | undefined }) {
  const usage = useQuery(storeUsageQuery(orgId))
  return (
    <Panel
      title="Space on the appliance"
      actions={
        onChangeQuota && (
          <Button variant="default" size="compact-sm" onClick={onChangeQuota}>
            Change quota
          </Button>
        )
      }
    >
      <Loaded of={usage}>{(found) => <Usage usage={found} />}</Loaded>
    </Panel>
  )
}

const colors = { good: 'harbor', warning: 'yellow', bad: 'red' } as const

function Usage({ usage }: { usage: BackupStoreUsage }) {
  const { percent, tone, warning } = fullness(usage)
  return (
    <Stack gap={8}>
      <Text size="sm">{spaceUsed(usage)}</Text>
      {percent !== null && (
        <Progress.Root maw={600}>
          <Progress.Section
            value={percent}
            color={colors[tone]}
            aria-label="Quota used"
            aria-valuetext={spaceUsed(usage)}
          />
        </Progress.Root>
      )}
      {warning && (
        <Text size="sm" fw={500}>
          {warning}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {spaceFree(usage)}
      </Text>
    </Stack>
  )
}
