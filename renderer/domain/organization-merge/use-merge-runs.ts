import { useQuery } from '@tanstack/react-query'
import { mergeRunsQuery } from '../../data/organization-merge.ts'
import { useMe } from '../../lib/session.ts'

/** Merges under way and of the last week; platform administrators do not see them. */
export function useMergeRuns() {
  const me = useMe()
  return useQuery({ ...mergeRunsQuery, enabled: me.scope === 'partner' })
}
