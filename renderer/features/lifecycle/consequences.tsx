import { List, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { deviceStatsQuery } from '../../data/devices.ts'
import { enrollmentKeysQuery } from '../../data/enrollment-keys.ts'
import { memberCountQuery } from '../../data/people.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { SkeletonLines } from '../../ui/states.tsx'
import { actionLabels, consequencesOf } from './action-labels.ts'
import type { LifecycleAction } from './lifecycle-actions.ts'

interface Props {
  action: LifecycleAction
  orgId: string
}

/** What the action does, and to how many devices, people and keys. */
export function Consequences({ action, orgId }: Props) {
  const { counts, isPending } = useCounts(orgId)
  const lines = consequencesOf(action, counts)
  if (isPending) return <SkeletonLines count={3} />
  if (lines.length === 0) return <Text size="sm">{actionLabels[action].about}</Text>
  return (
    <List size="sm" spacing={4}>
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  )
}

/** Current counts; undefined for what the user may not see or what failed to load. */
function useCounts(orgId: string) {
  const me = useMe()
  const live = { orgId, expired: 'false', page: 1, limit: 1 } as const
  const [devices, people, keys] = useQueries({
    queries: [
      { ...deviceStatsQuery(orgId), enabled: can(me, 'devices:read'), staleTime: 0 },
      { ...memberCountQuery(orgId), enabled: can(me, 'users:read'), staleTime: 0 },
      { ...enrollmentKeysQuery(live), staleTime: 0 },
    ],
  })
  return {
    counts: { devices: devices.data?.data.total, people: people.data, keys: keys.data?.pagination.total },
    isPending: [devices, people, keys].some(({ isLoading }) => isLoading),
  }
}
