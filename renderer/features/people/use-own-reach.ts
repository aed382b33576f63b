import { useQuery } from '@tanstack/react-query'
import type { UserRow } from '../../../shared/api/people.ts'
import { type PeopleOwner, peopleQuery } from '../../data/people.ts'
import { useMe } from '../../lib/session.ts'

export interface OwnReach {
  siteIds: string[] | null
  deviceGroupIds: string[] | null
}

/** The reach of the user, who cannot give others more. */
export function useOwnReach(owner: PeopleOwner): OwnReach {
  const me = useMe()
  const people = useQuery({ ...peopleQuery(owner), enabled: me.scope === 'organization' }).data
  const own: Partial<UserRow> = people?.find(({ id }) => id === me.id) ?? {}
  return { siteIds: own.siteIds ?? null, deviceGroupIds: own.deviceGroupIds ?? null }
}
