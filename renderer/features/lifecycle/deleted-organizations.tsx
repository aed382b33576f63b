import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { erasuresQuery } from '../../data/lifecycle.ts'
import { Panel } from '../../ui/panel.tsx'
import { ErasureState } from './erasure-state.tsx'

/** Organizations that are being deleted, or were deleted or merged; no other list has them. */
export function DeletedOrganizations() {
  const { data: erasures = [] } = useQuery(erasuresQuery)
  if (erasures.length === 0) return null
  const isOver = erasures.every(({ state, mergedInto }) => state === 'completed' || mergedInto)
  return (
    <Panel title={isOver ? 'Recently deleted or merged' : 'Being deleted'}>
      <Stack gap="md">
        {erasures.map((erasure) => (
          <div key={`${erasure.orgId} ${erasure.createdAt}`}>
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {erasure.orgName}
              {erasure.orgSlug && (
                <Text span inherit fw={400} c="dimmed">
                  {' '}
                  ({erasure.orgSlug})
                </Text>
              )}
            </Text>
            <ErasureState erasure={erasure} />
          </div>
        ))}
      </Stack>
    </Panel>
  )
}
