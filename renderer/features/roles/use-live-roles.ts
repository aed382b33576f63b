import { useQueryClient } from '@tanstack/react-query'
import { roleKey } from '../../data/roles.ts'
import { useLiveEvent } from '../../domain/live-events/live-provider.tsx'

/** The audit log announces every change of a role or its holders; roles are refetched then. */
export function useLiveRoles() {
  const client = useQueryClient()
  useLiveEvent(({ type }) => {
    // A running request is not restarted by the next of many events.
    if (type === 'audit.written') void client.invalidateQueries({ queryKey: roleKey }, { cancelRefetch: false })
  })
}
