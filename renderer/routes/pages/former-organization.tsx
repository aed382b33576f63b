import { useQuery } from '@tanstack/react-query'
import { erasuresQuery } from '../../data/lifecycle.ts'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { useMergeRuns } from '../../domain/organization-merge/use-merge-runs.ts'
import { ErasedOrganization } from '../../features/lifecycle/erased-organization.tsx'
import { MergedOrganization } from '../../features/organization-merge/merged-organization.tsx'
import { SkeletonLines } from '../../ui/states.tsx'

/** In place of an organization that no longer exists: what became of it, as long as the appliance remembers. */
export function FormerOrganization({ orgId }: { orgId: string }) {
  const runs = useMergeRuns()
  const erasures = useQuery(erasuresQuery)
  if (runs.isLoading || erasures.isLoading) return <SkeletonLines />
  const run = runs.data?.find(({ loserId, state }) => loserId === orgId && state === 'completed')
  if (run) return <MergedOrganization run={run} />
  const erasure = erasures.data?.find((one) => one.orgId === orgId)
  return erasure ? <ErasedOrganization erasure={erasure} /> : <NotFound />
}
