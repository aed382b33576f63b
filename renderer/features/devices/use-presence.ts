import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { presenceQuery } from '../../data/devices.ts'
import type { Presence } from './presence-bars.ts'

/** When devices were online in the last 24 hours; asked once for all of them. */
export function usePresence(
  devices: readonly { id: string }[],
  isWanted: boolean,
): (device: { id: string }) => Presence | undefined {
  const { data } = useQuery({ ...presenceQuery(devices.map(({ id }) => id)), enabled: isWanted })
  return useMemo(() => {
    const changes = new Map(data?.data.map((one) => [one.deviceId, one.changes]))
    return ({ id }) => {
      const found = changes.get(id)
      return data && found && { since: data.since, until: data.until, changes: found }
    }
  }, [data])
}
