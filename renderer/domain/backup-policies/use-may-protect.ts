import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** Whether the user may make and change policies: these are of the whole organization. */
export function useMayProtect(): boolean {
  const me = useMe()
  return can(me, 'devices:write') && !me.isConfined
}
