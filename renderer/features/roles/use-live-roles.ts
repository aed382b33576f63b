import { useQueryClient } from '@tanstack/react-query'
import { roleKey } from '../../data/roles.ts'
import { useLiveEvent } from '../../domain/live-events/live-provider.tsx'

/** Every change of a role, and of who has it, is written to the log: what is on the page is read again then. */
export function useLiveRoles() {
  const client = useQueryClient()
  useLiveEvent(({ type }) => {
    // What is on its way already is not begun anew by the next word of many.
    if (type === 'audit.written') void client.invalidateQueries({ queryKey: roleKey }, { cancelRefetch: false })
  })
}
